// Rule: what to expect of the workload under the finished policy. The memory pool's own placer runs the whole policy
// over numbers (simulated_pool.hpp), all heaps, buckets and dedicated allocations together, on the operations that the
// validation's mixed workload plays: the workload's seed and the four that follow it. A frame's memory comes back when
// the frames in flight after it have ended.
//   waste                          amid the least and the worst of the seeds
//   allocations, peaks, late ones  the largest of the seeds
//   times                          the largest of the seeds; every call of the device by the report's measured curve
//                                  at its 90th percentile, and what the pool itself takes for a creation
// As much is played as the sample options say, of more resources or more churn a part, and the reasons say which.
// Pure; same input, same figures.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "heapwright/model/policy.hpp"
#include "heapwright/policy/context.hpp"
#include "heapwright/policy/sampled_trace.hpp"

namespace heapwright::policy {

// Empty where the workload has no resources; or cannot be played or finds no memory at all, which a warning says. Warns
// where some requests find no memory and where a frame takes more than its budget.
[[nodiscard]] std::optional<model::Expectations> decide_expectations(const Context& context,
                                                                     const model::DevicePolicy& policy,
                                                                     const SampleOptions& sample,
                                                                     std::vector<std::string>& warnings);

}  // namespace heapwright::policy
