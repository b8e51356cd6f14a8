// The workloads of several engines as scenarios: each is rehearsed, its schedule checked as the device's queues run it,
// each of its waits judged, and then it is played on the device and every byte compared. A workload whose course
// depends on the device's speed is played as rehearsed, so that what a document says of it stays the same, and once
// more as the device lets it; one that can be submitted consumers first is played so too.
// Nothing is submitted of a schedule that breaks a rule.
// Resources are shared by all queue families (Vulkan: concurrent sharing), in one scenario owned by one at a time and
// handed over; the notes say which. That one is beside the others and changes none of them; a device with one family
// does not support it.
// Errors as validate(); a device that lacks what a scenario needs gives kNotSupported with the reason.
// Source: "Multi-engine synchronization" (Direct3D 12 programming guide).
#pragma once

#include <cstdint>
#include <vector>

#include "heapwright/core/result.hpp"
#include "heapwright/device/device.hpp"
#include "heapwright/engines/workloads.hpp"
#include "heapwright/model/policy.hpp"
#include "heapwright/model/validation.hpp"
#include "heapwright/validate/validate.hpp"

namespace heapwright::validate {

enum class Sharing : std::uint8_t { kConcurrent, kExclusive };

struct EngineScenarioKind {
    engines::Workload workload;
    Sharing sharing = Sharing::kConcurrent;
};

// In the order in which they run.
[[nodiscard]] const std::vector<EngineScenarioKind>& engine_scenarios();

// Ring length and latencies are the policy's where it has them.
[[nodiscard]] Result<model::ScenarioResult> run_engine_scenario(const engines::Workload& workload,
                                                                device::Device& device,
                                                                const model::DevicePolicy& policy,
                                                                const ValidateOptions& options,
                                                                Sharing sharing = Sharing::kConcurrent);

}  // namespace heapwright::validate
