// What a difference between two drivers means to an allocator: the advisor's policies for both under one workload, and
// the memory that each takes for it, by simulation. Pure and thread-safe.
#pragma once

#include "heapwright/model/comparison.hpp"
#include "heapwright/model/workload.hpp"

namespace heapwright::compare {

// Waste is reserved / used - 1. Where both devices hold the whole workload alike, both wastes are measured against the
// baseline's used bytes, so that resources which the other driver makes larger count as waste. Where a device gives no
// policy, the statement says why.
[[nodiscard]] model::PolicyImpact policy_impact(model::DeviceReport baseline, model::DeviceReport other,
                                                const model::Workload& workload);

// Leaves out what would make two policies differ although the drivers do not: budgets, which follow the moment, and
// measured costs that only one of the two has.
void make_comparable(model::DeviceReport& one, model::DeviceReport& other);

}  // namespace heapwright::compare
