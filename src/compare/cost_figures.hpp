// What a memory type's curve holds besides the joint test of its sizes (cost_difference.hpp): single sizes, the
// host's bandwidth, how many allocations the device takes, and calls that
// took far longer than all others. Pure and thread-safe.
#pragma once

#include <span>
#include <string>
#include <vector>

#include "compare/cost_difference.hpp"

namespace heapwright::compare {

// `told`: what is told of ranges of sizes; a size of one is told besides only where it fails and the range does not.
// `baselines` holds at least one, none null;
// counts and long calls are compared with the first that has costs.
[[nodiscard]] CostDifferences compare_cost_figures(std::span<const model::DeviceReport* const> baselines,
                                                   const model::DeviceReport& other,
                                                   std::span<const model::FieldChange> told,
                                                   const NoiseOptions& options);

// Of every figure that a report holds.
[[nodiscard]] std::vector<std::string> cost_paths(const model::DeviceReport& device);

}  // namespace heapwright::compare
