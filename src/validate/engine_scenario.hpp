// The workloads of several engines as scenarios: each is rehearsed, its schedule checked as the device's queues run it,
// each of its waits judged, and then it is played on the device and every byte compared. A workload whose course
// depends on the device's speed is played as rehearsed, so that what a document says of it stays the same, and once
// more as the device lets it; one that can be submitted consumers first is played so too.
// Nothing is submitted of a schedule that breaks a rule.
// Errors as validate(); a device that lacks what a scenario needs gives kNotSupported with the reason.
// Source: "Multi-engine synchronization" (Direct3D 12 programming guide).
#pragma once

#include "heapwright/core/result.hpp"
#include "heapwright/device/device.hpp"
#include "heapwright/engines/workloads.hpp"
#include "heapwright/model/policy.hpp"
#include "heapwright/model/validation.hpp"
#include "heapwright/validate/validate.hpp"

namespace heapwright::validate {

// Ring length and latencies are the policy's where it has them.
[[nodiscard]] Result<model::ScenarioResult> run_engine_scenario(const engines::Workload& workload,
                                                                device::Device& device,
                                                                const model::DevicePolicy& policy,
                                                                const ValidateOptions& options);

}  // namespace heapwright::validate
