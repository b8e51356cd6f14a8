// From samples of engines to the report's figures. Pure and thread-safe.
#pragma once

#include <cstdint>
#include <vector>

#include "heapwright/model/engine_measurements.hpp"

namespace heapwright::probe {

// All zero without samples.
[[nodiscard]] model::SpreadNs spread_ns(std::vector<std::uint64_t> samples);

// (serial - concurrent) / the shorter of the two alone; 0 where that one takes no time.
[[nodiscard]] double gained(const model::EngineOverlap& overlap);

[[nodiscard]] std::uint64_t bytes_per_s(std::uint64_t bytes, std::uint64_t duration_ns);

// The smallest latencies (by their sum, then the engines' one, which costs buffers) whose frame is within the spread of
// the shortest frame: no longer than its p90, or 2% longer where that is more. Sets the best latencies and the
// statement; without points only the statement.
void choose_latencies(model::PipelineMeasurement& pipeline);

}  // namespace heapwright::probe
