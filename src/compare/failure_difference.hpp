// Drivers and devices that could not be probed, or that failed after they had answered: those of two reports, by driver
// and call. A failure that only the other report has is a regression, one that only the baseline has an improvement.
// Pure and thread-safe.
#pragma once

#include <span>
#include <vector>

#include "heapwright/model/comparison.hpp"
#include "heapwright/model/report.hpp"

namespace heapwright::compare {

// One entry a driver whose failures differ; both identities hold the driver's name and API alone.
[[nodiscard]] std::vector<model::DeviceComparison> compare_failures(std::span<const model::ProbeFailure> baseline,
                                                                    std::span<const model::ProbeFailure> other);

}  // namespace heapwright::compare
