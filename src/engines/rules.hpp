// The rules that a schedule is held to, one function each; check() asks them all. A violation names the
// operations at fault. Pure.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "engines/happens_before.hpp"
#include "engines/progress.hpp"
#include "engines/schedule.hpp"

namespace heapwright::engines {

// A broken rule of a schedule, with the operations that show it.

enum class Rule : std::uint8_t {
    kUnorderedWrites,    // two actors write one resource (Direct3D 12) or the same bytes (Vulkan), no fence between
    kUnorderedRead,      // one actor reads bytes that another writes, no fence between
    kWrongState,         // the resource is not in the state that the work needs
    kForeignClassState,  // a copy state of the 3D/compute class used on a copy queue, or the reverse
    kNotCommon,          // a copy queue needs COMMON
    kPresentNotCommon,   // a presented back buffer needs COMMON
    kBundle,             // a bundle on a compute or copy queue
    kNotOwned,           // used by a queue family that does not own it
    kUnpairedTransfer,   // an acquire without its release, or before it
    kFenceRewind,        // a signal below an earlier one; Vulkan: not above it
    kSignalRace,         // two actors signal one fence in no order
    kDeadlock,           // a wait that nothing ends
};

struct Violation {
    Rule rule = Rule::kUnorderedWrites;
    // The two accesses or signals, a deadlock's waits and signals in turn, or the one operation that is at fault.
    std::vector<std::size_t> operations;
    std::string statement;

    friend bool operator==(const Violation& a, const Violation& b) {
        return a.rule == b.rule && a.operations == b.operations;
    }
};

// What differs between the two APIs.
enum class Rules : std::uint8_t { kDirect3D12, kVulkan };

// One writer at a time; readers beside a writer only on other bytes; a fence between a write and a foreign read or
// write of the same bytes. Direct3D 12 allows only one queue to write a resource at a time, whatever the bytes.
// A transition writes the whole resource, a release and an acquire the bytes that they hand over; a present reads it.
// Source: "Multi-engine synchronization", multi-queue resource access; Vulkan specification, memory dependencies.
[[nodiscard]] std::vector<Violation> check_accesses(const Schedule& schedule, const HappensBefore& order, Rules rules);

// Fences that go back, and fences that two actors signal in no order.
//
// Direct3D 12 allows both; each makes what a wait means depend on the speed of the engines, so it is reported with the
// waits that it touches. A wait that is outstanding when a value comes that satisfies it is satisfied, whichever value
// remains; a wait that is new compares with the value that stands, and may block though the fence had been high enough.
// Vulkan: a timeline semaphore only rises, so that an equal value breaks the rule too
// (VUID-VkSubmitInfo-pSignalSemaphores-03242, VUID-VkSemaphoreSignalInfo-value-03258).
// A signal is compared with the latest ones that are certain to come before it, or else with the fence's initial value.
// Source: "Multi-engine synchronization", fences; Vulkan specification, semaphore signalling.
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

// Direct3D 12's rules on resource states and bundles.
//
// There are two queue type classes, 3D/compute and copy. COPY_DEST and COPY_SOURCE of one class are not
// those of the other; a copy queue takes a resource in COMMON (from which it is promoted, and to which it decays when
// the work ends) or in a state to which the copy queue itself brought it; a presented back buffer is in COMMON;
// bundles run on 3D queues alone. On a 3D or compute queue a buffer in COMMON is promoted to any state, a texture to
// COPY_DEST, COPY_SOURCE and SHADER_RESOURCE. What was promoted to a read state decays to COMMON again; a buffer does
// from every state, also one that a transition brought it to, when the submission ends. A texture keeps the state that
// a transition brought it to.
// Uses are taken in the order in which the schedule plays; what has no order is the access rules' finding.
// Source: "Multi-engine synchronization", multi-queue resource access; Direct3D 12 specification, implicit state
// transitions.
[[nodiscard]] std::vector<Violation> check_states(const Schedule& schedule, const Progress& progress);

// Vulkan's rules on exclusive resources. Each byte belongs to the queue family whose queue used it first, until one
// release by that family and the acquire of the same bytes that follows it hand it over. Only queues of the owning
// family may touch it, and between release and acquire nobody.
//
// A transition touches it as work does: a layout transition reads and writes the image's memory, and who does not own
// an image takes it without its contents. Only a transition from VK_IMAGE_LAYOUT_UNDEFINED, which gives the contents
// up, may be another family's; schedules hold none. A present reads the image on the queue that it is given to: a
// presentable image of an exclusive swapchain has to be handed to that queue's family first. The host owns nothing and
// touches no owner's bytes by these rules; what its accesses must wait for is the access rules'. Uses are taken in the
// order in which the schedule plays; what has no order is the access rules' finding. Source: Vulkan specification,
// VkSharingMode, queue family ownership transfer, image layout transitions, WSI swapchain.
// A violation names the owner's last access, or the release, beside the one at fault.
[[nodiscard]] std::vector<Violation> check_ownership(const Schedule& schedule, const Progress& progress,
                                                     const HappensBefore& order);

// Waits that no order of the engines ends. One violation for each circle of waits, with every wait and signal of it;
// one for each wait that nothing can meet; and one for each other wait that stands behind such a one, with all that
// lies between. Of several signals that could meet a wait, none of which can run, the first is followed. `progress` is
// that of play().
[[nodiscard]] std::vector<Violation> check_deadlocks(const Schedule& schedule, const Progress& progress);

// All rules of a schedule at once, to be asked before anything is submitted.

[[nodiscard]] std::vector<Violation> check(const Schedule& schedule, Rules rules);

// The order in which to submit the operations so that no wait is submitted before a signal that meets it: for one
// queue in several engines' place, and for a driver that takes an early wait for met. Empty when there is none; then
// check() reports the deadlock.
[[nodiscard]] std::vector<std::size_t> signals_first(const Schedule& schedule);

}  // namespace heapwright::engines
