// The examples of several engines as scenarios: each is rehearsed, its schedule checked as the device's queues run it,
// each of its waits judged, and then it is played on the device and every byte compared. An example whose course
// depends on the device's speed is played as rehearsed, so that what a document says of it stays the same, and once
// more as the device lets it; one that can be submitted consumers first is played so too. Ring length and latencies are
// the engine article's, and where the policy has others it is all played once more with those.
// The work is sized for the device (engines/work_size.hpp). Of work that should be over while other work goes on, the
// reason says how often it surely was; on some devices, and with one queue, that is never and no failure.
// Nothing is submitted of a schedule that breaks a rule.
// Resources are shared by all queue families (Vulkan: concurrent sharing), in one scenario owned by one at a time and
// handed over; the notes say which. That one is beside the others and changes none of them; a device with one family
// does not support it.
// Errors as validate(); a device that lacks what a scenario needs gives kNotSupported with the reason.
// Source: "Multi-engine synchronization" (Direct3D 12 programming guide).
// Beside it: why each wait is there, as a validation says it.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "device/device.hpp"
#include "engines/examples.hpp"
#include "engines/rules.hpp"
#include "engines/schedule.hpp"
#include "engines/work_size.hpp"
#include "heapwright/core/result.hpp"
#include "heapwright/model/policy.hpp"
#include "heapwright/model/validation.hpp"
#include "validate/validate.hpp"

namespace heapwright::validate {

enum class Sharing : std::uint8_t { kConcurrent, kExclusive };

struct EngineScenarioKind {
    engines::Example example;
    Sharing sharing = Sharing::kConcurrent;
};

// In the order in which they run.
[[nodiscard]] const std::vector<EngineScenarioKind>& engine_scenarios();

// `size`: measured by the first scenario of a device that finds it empty; null: the usual size.
[[nodiscard]] Result<model::ScenarioResult> run_engine_scenario(const engines::Example& example, device::Device& device,
                                                                const model::DevicePolicy& policy,
                                                                const ValidateOptions& options,
                                                                Sharing sharing = Sharing::kConcurrent,
                                                                std::optional<engines::WorkSize>* size = nullptr);

// Why each wait of a schedule is there, as a validation document says it. Pure.

// One entry for each actor, fence, role and kind of work that it orders, with how many waits it stands for and the
// first of them.
[[nodiscard]] std::vector<model::WaitFinding> wait_findings(const engines::Schedule& schedule, engines::Rules rules);

}  // namespace heapwright::validate
