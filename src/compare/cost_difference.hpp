// The noisy fields of two reports: what allocating, touching and freeing memory costs, by memory type, and how fast the
// host copies to and from it.
//
// A field is a memory type, a kind of cost and a range of sizes (up to 1 MiB, above). Two runs of one build differ by
// more than the spread within either, because each meets another moment of the machine and another state of the
// process: of 780 pairs of runs of lavapipe 22.3.6, half of them under load, 1 in 10 differed by more than 1.5 times in
// some field's medians and 1 in 1,000 by more than 2.7 times. So the test asks not whether the costs differ but whether
// they differ by more than `least_ratio`: the baseline's samples are scaled by it and by its inverse, a field's p-value
// combines the precedence tests of its points (Fisher) for either direction, and Holm's correction over all fields of
// the device keeps the chance of any false alarm among them below `false_alarm_rate`. Differences below
// `least_difference_ns` are below what clocks and caches tell apart. What differs by `told_ratio` beyond the spread
// within the runs is inconclusive, and so is a difference beyond `least_ratio` that so few samples could never have
// proven; so are slow calls (one in ten, or outliers) beside a median that stayed. Single sizes, bandwidths and counts:
// cost_figures.hpp.
//
// A size takes part only where both runs say that it had settled; where they say nothing of sizes, the whole curve had
// to settle. The machine must have been as busy in both: other processes took shares of the processors that differ by
// no more than `alike_others`, and the measuring thread waited for shares of the time that differ by no more than
// `alike_waiting`. Elsewhere a difference is inconclusive, and the reason says what was unlike. Two reports that say
// nothing of it are judged. Pure and thread-safe.
#pragma once

#include <span>
#include <vector>

#include "model/comparison.hpp"

namespace heapwright::compare {

struct NoiseOptions {
    double false_alarm_rate = 0.001;  // of a device, over all of its noisy fields
    double least_ratio = 2;           // by which two runs of one build may differ
    double told_ratio = 1.5;          // from which on a difference is told, as inconclusive
    // The same of single sizes and of figures without a distribution (measured_figure.hpp). Chosen; of 270 pairs of
    // runs on H100s, a part of them beside busy processors, and of 56 of lavapipe 22.3.6 on a busy machine, none
    // alarmed.
    double least_figure_ratio = 4;
    double least_difference_ns = 1000;
    double alike_others = 0.10;
    double alike_waiting = 0.05;
};

struct CostDifferences {
    std::vector<model::FieldChange> changes;  // what is not the same
    std::uint64_t same_fields = 0;
};

// The other against several runs of one build: a difference counts where it is one from every run under like
// conditions, and the runs' own spread says by how much two may differ. With kRunsThatTell runs that is the spread and
// kBeyondSpread times more, even below `least_ratio`; with fewer it only raises `least_ratio`. `baselines` holds at
// least one, none null.
inline constexpr std::size_t kRunsThatTell = 5;
inline constexpr double kBeyondSpread = 1.25;
[[nodiscard]] CostDifferences compare_costs(std::span<const model::DeviceReport* const> baselines,
                                            const model::DeviceReport& other, const NoiseOptions& options);

[[nodiscard]] CostDifferences compare_costs(const model::DeviceReport& baseline, const model::DeviceReport& other,
                                            const NoiseOptions& options);

}  // namespace heapwright::compare
