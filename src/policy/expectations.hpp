// Rule: what to expect of the workload under the finished policy, by the whole policy run over numbers
// (simulated_pool.hpp). A frame's memory comes back when the frames in flight after it have ended.
//   waste, allocations   the mean of the seeds
//   peaks, late chunks   the most of the seeds
//   times                every call of the device at the median of the report's measured curve, with what the pool
//                        itself takes for a creation, and no waiting for the background: the most of the seeds, of
//                        the 99th percentile the middle seed's
// Each has an interval, twice as wide as what the seeds span, of times from the least of the curve to its 90th
// percentile (expectations.cpp). As much is played as the sample options say, of more resources or more churn a part,
// and the reasons say which. Pure; same input, same figures.
#pragma once

#include <optional>
#include <span>
#include <string>
#include <vector>

#include "heapwright/model/policy.hpp"
#include "policy/context.hpp"
#include "policy/simulated_pool.hpp"

namespace heapwright::policy {

// `runs`: player.play(), not empty. Empty where no request finds memory at all, which a warning says. Warns where some
// find none and where a frame takes more than its budget.
[[nodiscard]] std::optional<model::Expectations> decide_expectations(const Context& context,
                                                                     const model::DevicePolicy& policy,
                                                                     const PolicyPlayer& player,
                                                                     std::span<const PlayedPolicy> runs,
                                                                     model::Statement& warnings);

}  // namespace heapwright::policy
