// Fences that go back, and fences that two actors signal in no order.
//
// Direct3D 12 allows both; each makes what a wait means depend on the speed of the engines, so it is reported with the
// waits that it touches. A wait that is outstanding when a value comes that satisfies it is satisfied, whichever value
// remains; a wait that is new compares with the value that stands, and may block though the fence had been high enough.
// Vulkan: a timeline semaphore only rises, so that an equal value breaks the rule too
// (VUID-VkSubmitInfo-pSignalSemaphores-03242, VUID-VkSemaphoreSignalInfo-value-03258).
// A signal is compared with the latest ones that are certain to come before it, or else with the fence's initial value.
// Source: "Multi-engine synchronization", fences; Vulkan specification, semaphore signalling.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "heapwright/schedule/happens_before.hpp"
#include "heapwright/schedule/schedule.hpp"
#include "heapwright/schedule/violation.hpp"

namespace heapwright::schedule {

[[nodiscard]] std::vector<Violation> check_fences(const Schedule& schedule, const HappensBefore& order, Rules rules);

enum class StakeOutcome : std::uint8_t {
    // Reached before both have come, it is satisfied: the higher value stands, or comes while the wait is outstanding.
    // Reached afterwards, it is satisfied only if the higher value remains.
    kDependsOnArrival,
    kOnlyHigherHelps,  // certain to be reached after both signals: compared with the value that remains
};

// The waits whose outcome the race or rewind of these two signals decides (Direct3D 12): those on the fence for a value
// that one of them reaches and the other does not. Not those that are over before one of the two comes, nor those that
// are reached after a later signal has replaced both values.
struct WaitAtStake {
    std::size_t wait = 0;
    StakeOutcome outcome = StakeOutcome::kDependsOnArrival;
};
[[nodiscard]] std::vector<WaitAtStake> waits_at_stake(const Schedule& schedule, const HappensBefore& order,
                                                      std::size_t first_signal, std::size_t second_signal);

}  // namespace heapwright::schedule
