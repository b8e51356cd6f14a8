// From samples of engines to the report's figures. Pure and thread-safe.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "heapwright/model/engine_measurements.hpp"
#include "probe/time_series.hpp"

namespace heapwright::probe {

// Times that differ by no more than this share are alike.
inline constexpr double kAlike = 0.05;

// How far the median of the samples may be off, as a share of it: 1.4826 * MAD * 2 / sqrt(n), which no single sample
// that took long moves. 1 with fewer than three samples.
[[nodiscard]] double error_of_median(std::span<const std::uint64_t> samples);

// (serial - concurrent) / the shorter of the two alone; 0 where that one takes no time.
[[nodiscard]] double gained(const model::EngineOverlap& overlap);

// The series behind an overlap.
struct OverlapSeries {
    TimeSeries first_alone;
    TimeSeries second_alone;
    TimeSeries serial;
    TimeSeries together;
};

// Why the figures of a pair are no evidence; nothing where they are:
// - one of its series moved: the medians of its first and of its second half (of at least three samples each) are more
//   than a tenth apart;
// - the two one after the other take more than 15% longer or shorter than the two times alone together;
// - more is gained than there is to gain, or more lost than the shorter one takes, by more than kAlike.
[[nodiscard]] std::optional<std::string> disturbance(const OverlapSeries& series, const model::EngineOverlap& overlap);

[[nodiscard]] std::uint64_t bytes_per_s(std::uint64_t bytes, std::uint64_t duration_ns);

// By the medians alone: the smallest latencies (by their sum, then the engines' one, which costs buffers) whose frame
// is at most kAlike longer than the shortest one. `errors` has the error of each point's median. Unsettled when the
// shortest, the chosen or a smaller one that its error leaves within kAlike of the shortest is not known to kAlike.
// Sets the best latencies, the statement and why it is unsettled; without points only the statement.
void choose_latencies(model::PipelineMeasurement& pipeline, std::span<const double> errors);

}  // namespace heapwright::probe
