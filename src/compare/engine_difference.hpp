// What two reports measured of a device's engines: copies, overlaps, latencies of signals and pipelines, by what each
// is of; and what the engines are.
//
// A report keeps the shortest, the median and the 90th percentile of few samples. A time has regressed where even the
// shortest of one run is `least_figure_ratio` (NoiseOptions) times the 90th percentile of the other; what differs by
// `told_ratio` in the median is inconclusive. What an overlap gains has regressed where half of it is gone, a
// pipeline's best latency where it grew, both only where the samples behind them do not overlap. A figure that was
// disturbed or had not settled tells of itself alone, and so does one of other bytes; times of a run that had not
// settled, or of machines that were not as busy, tell nothing. What is gone is missing, unless the run says that its
// time was up or that the host was away; what is newly skipped has regressed. Pure and thread-safe.
#pragma once

#include <span>
#include <string>
#include <vector>

#include "compare/cost_difference.hpp"
#include "model/comparison.hpp"

namespace heapwright::compare {

// Against several runs of one build a figure is compared with the nearest of them. Without `costs` whether it was
// measured is compared, and no time. `baselines` holds at least one, none null.
[[nodiscard]] CostDifferences compare_engines(std::span<const model::DeviceReport* const> baselines,
                                              const model::DeviceReport& other, const NoiseOptions& options,
                                              bool costs);

// Of every part that a report holds, and with `costs` of every figure.
[[nodiscard]] std::vector<std::string> engine_paths(const model::DeviceReport& device, bool costs);

}  // namespace heapwright::compare
