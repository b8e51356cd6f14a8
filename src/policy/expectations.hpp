// Rule: what to expect of the workload under the finished policy, by the whole policy run over numbers
// (policy_player.hpp). A frame's memory comes back when the frames in flight after it have ended.
//   waste                          amid the least and the worst of the seeds
//   allocations, peaks, late ones  the largest of the seeds
//   times                          the largest of the seeds; every call of the device by the report's measured curve
//                                  at its 90th percentile, and what the pool itself takes for a creation
// As much is played as the sample options say, of more resources or more churn a part, and the reasons say which.
// Pure; same input, same figures.
#pragma once

#include <optional>
#include <span>
#include <string>
#include <vector>

#include "heapwright/model/policy.hpp"
#include "heapwright/policy/context.hpp"
#include "heapwright/policy/policy_player.hpp"

namespace heapwright::policy {

// `runs`: player.play(), not empty. Empty where no request finds memory at all, which a warning says. Warns where some
// find none and where a frame takes more than its budget.
[[nodiscard]] std::optional<model::Expectations> decide_expectations(const Context& context,
                                                                     const model::DevicePolicy& policy,
                                                                     const PolicyPlayer& player,
                                                                     std::span<const PlayedPolicy> runs,
                                                                     std::vector<std::string>& warnings);

}  // namespace heapwright::policy
