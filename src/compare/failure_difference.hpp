// Drivers and devices that could not be probed, or that failed after they had answered. A failure is known by its
// device, step, call and kind: a driver that is renamed, moved or updated keeps its failures, and an error that becomes
// a crash is another one. The device is the one that the failure names, or that either report names so, paired as
// device_pairing.hpp pairs devices; without one the file name of the driver stands for it. A failure that only the
// other report has is a regression, one that only the baseline has an improvement; so is an error in the place of a
// crash. What a report does not say (kind and step in older ones) tells no failures apart. Pure and thread-safe.
#pragma once

#include <vector>

#include "heapwright/model/report.hpp"
#include "model/comparison.hpp"

namespace heapwright::compare {

// One entry for each device or driver whose failures differ; of a driver both identities hold its name and API alone.
[[nodiscard]] std::vector<model::DeviceComparison> compare_failures(const model::Report& baseline,
                                                                    const model::Report& other);
[[nodiscard]] std::vector<model::DeviceComparison> compare_failures(const model::Validation& baseline,
                                                                    const model::Validation& other);

}  // namespace heapwright::compare
