// What two reports measured of creations by threads, by object and number of threads. A curve that is gone is missing,
// unless the run says that its time was up. A rate has regressed as a time does (measured_figure.hpp): by what a
// creation with its destruction takes. Rates of machines with other numbers of processors are not compared.
// Pure and thread-safe.
#pragma once

#include <span>
#include <string>
#include <vector>

#include "compare/cost_difference.hpp"
#include "model/comparison.hpp"

namespace heapwright::compare {

// Against several runs of one build a figure is compared with the nearest of them. Without `costs` whether it was
// measured is compared, and no rate. `baselines` holds at least one, none null.
[[nodiscard]] CostDifferences compare_creations(std::span<const model::DeviceReport* const> baselines,
                                                const model::DeviceReport& other, const NoiseOptions& options,
                                                bool costs);

// Of every curve that a report holds, and with `costs` of every figure.
[[nodiscard]] std::vector<std::string> creation_paths(const model::DeviceReport& device, bool costs);

}  // namespace heapwright::compare
