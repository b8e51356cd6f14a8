// The noisy fields of two reports: what allocating, touching and freeing memory costs, by memory type, and how fast the
// host copies to and from it.
//
// A field is a memory type, a kind of cost and a range of sizes (up to 1 MiB, above). Its p-value combines the
// precedence tests of its points (Fisher), for both directions; Holm's correction over all fields of the device keeps
// the chance of any false alarm among them below `false_alarm_rate`. An alarm also needs the median ratio of the
// medians to reach `least_ratio`: runs on one machine differ by more than their own spread. A difference of that size
// that the samples could never have proven is inconclusive.
// What has no spread in the report (bandwidths) is never more than inconclusive. Pure and thread-safe.
#pragma once

#include <vector>

#include "heapwright/model/comparison.hpp"

namespace heapwright::compare {

struct NoiseOptions {
    double false_alarm_rate = 0.001;  // of a device, over all of its noisy fields
    double least_ratio = 1.5;
};

struct CostDifferences {
    std::vector<model::FieldChange> changes;  // what is not the same
    std::uint64_t same_fields = 0;
};

[[nodiscard]] CostDifferences compare_costs(const model::DeviceReport& baseline, const model::DeviceReport& other,
                                            const NoiseOptions& options);

}  // namespace heapwright::compare
