// What a policy, its own or another device's, would do on a device under a workload: the whole policy played over
// numbers (policy/policy_player.hpp), the workload's own stream, sized as this device's driver answers. Pure and
// thread-safe.
#pragma once

#include <cstdint>

#include "heapwright/core/result.hpp"
#include "heapwright/model/policy.hpp"
#include "heapwright/model/workload.hpp"
#include "policy/simulation.hpp"

namespace heapwright::compare {

struct PolicyFigures {
    double waste = 0;  // (reserved - used) / used, of the sums over the ends of frames
    std::uint64_t failed_requests = 0;
};

// Played with the workload's own seed alone. `made_for` is the device that the policy was made for: its memory types
// are found on `device` by what they are. `own` is the device's own policy: what it may use of each heap, and how many
// device allocations, holds for the other, too.
// Errors: kNotSupported with the reason why the policy cannot run on this device: a memory type that is missing, chunks
// that the device refuses.
[[nodiscard]] Result<PolicyFigures> simulate_policy(const model::DevicePolicy& policy,
                                                    const model::DeviceReport& made_for,
                                                    const model::DeviceReport& device, const model::DevicePolicy& own,
                                                    const model::Workload& workload,
                                                    const policy::SampleOptions& sample);

}  // namespace heapwright::compare
