// Rule: whether the workload fits. It does if and only if every request finds memory when the whole policy runs over
// numbers on each of the seeds played (policy_player.hpp). What it needs is the peak of that run, chunks included;
// where requests fail, the peak with as much memory as it asks for, in the heaps that could hold what failed. What the
// device refuses counts as not fitting, too. Without such a run the estimate of capacity.hpp stands in. Sizes in bytes.
// Pure.
#pragma once

#include <span>

#include "heapwright/policy/capacity.hpp"
#include "heapwright/policy/policy_player.hpp"

namespace heapwright::policy {

// Fills in policy.capacity, which holds planned.plan, and where it does not fit puts the statement before all warnings.
// `runs`: player.play(), not empty.
void decide_fit(const Context& context, const PolicyPlayer& player, std::span<const PlayedPolicy> runs,
                const CapacityResult& planned, model::DevicePolicy& policy);

// By the estimate alone.
void estimate_fit(const CapacityResult& planned, model::DevicePolicy& policy);

}  // namespace heapwright::policy
