// What a policy, its own or another device's, would reserve on a device under a workload: the workload's demand as this
// device answers it, run through the policy's buckets and chunks. Offsets only. Pure and thread-safe.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "heapwright/core/result.hpp"
#include "heapwright/model/policy.hpp"
#include "heapwright/model/workload.hpp"
#include "heapwright/policy/sampled_trace.hpp"

namespace heapwright::compare {

struct PolicyFigures {
    double used_bytes = 0;  // as this device's driver sizes the resources, scaled to the whole workload
    double reserved_bytes = 0;
    double resources = 0;  // alive, that were placed

    [[nodiscard]] double waste() const { return used_bytes > 0 ? (reserved_bytes - used_bytes) / used_bytes : 0; }
};

// A smaller sample than the advisor's: for comparing, where many policies are run.
inline constexpr policy::SampleOptions kComparedSample{.most_resources = 4096, .churn_steps = 1000};

// `made_for` is the device that the policy was made for: its memory types are found on `device` by what they are.
// `own` is the device's own policy: what is humongous by that never goes into chunks, whatever the other policy admits.
// Errors: kNotSupported with the reason why the policy does not serve this device: a memory type that is missing, a
// resource that no bucket takes or that is larger than the policy admits, a chunk that the device refuses.
[[nodiscard]] Result<PolicyFigures> simulate_policy(const model::DevicePolicy& policy,
                                                    const model::DeviceReport& made_for,
                                                    const model::DeviceReport& device, const model::DevicePolicy& own,
                                                    const model::Workload& workload,
                                                    const policy::SampleOptions& sample = kComparedSample);

}  // namespace heapwright::compare
