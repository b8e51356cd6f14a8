// What a difference between two drivers means to an allocator: the advisor's policies for both under one workload, and
// the memory that each takes for it, by simulation. Pure and thread-safe.
#pragma once

#include "heapwright/model/workload.hpp"
#include "model/comparison.hpp"

namespace heapwright::compare {

// Both wastes are what the device's own policy promises (expectations/mean_waste), of the workload as its driver sizes
// it; what a driver asks for beyond the other's shows in what the workload needs. Where a device gives no policy, the
// statement says why.
[[nodiscard]] model::PolicyImpact policy_impact(model::DeviceReport baseline, model::DeviceReport other,
                                                const model::Workload& workload);

// Leaves out what would make two policies differ although the drivers do not: budgets, which follow the moment, and
// measured costs that only one of the two has.
void make_comparable(model::DeviceReport& one, model::DeviceReport& other);

}  // namespace heapwright::compare
