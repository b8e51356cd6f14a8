// What a scenario that plays operations against an allocator stands on: the device seen through the shadow checker, the
// clock and the meter of calls, the bytes that fill and prove each resource, and the population that is played.
// Errors as validate(). For one thread. The device, the policy and the options outlive it and it stays where it is.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>

#include "validate/call_meter.hpp"
#include "validate/content_driver.hpp"
#include "validate/observed_device.hpp"
#include "validate/population.hpp"
#include "validate/scenario.hpp"
#include "validate/shadow_checker.hpp"
#include "validate/work_queue.hpp"

namespace heapwright::validate {

struct ScenarioRig : Scenario {
    ScenarioRig(device::Device& of, const model::DevicePolicy& by, const ValidateOptions& with, std::uint64_t salt);

    // What the options allow of the policy's heaps.
    [[nodiscard]] std::uint64_t limit_bytes() const;
    // Fits the workload to `room_bytes`. Errors: fit_population()'s.
    [[nodiscard]] Status fit(const model::Workload& workload, std::uint64_t room_bytes);
    // Opens the queue over its staging memory. Errors: kOutOfRange when a limit of limit_bytes() does not even hold
    // that.
    [[nodiscard]] Status open_queue(const WorkQueue::Options& staging);

    // Errors: kInterrupted, kTimeLimit; kInvariantBroken after as many findings as are kept.
    [[nodiscard]] Status check_limits() const;
    // The work that is recorded now uses it last.
    void declare_released(device::ResourceId resource);
    // Ends all work. A device that fails here is idle or lost; either way nothing uses its resources any more.
    void drain();
    // What the checks have counted, for the result.
    void fill_in(model::ScenarioResult& result) const;

    ShadowChecker checker;
    ObservedDevice observed;
    CallMeter meter;
    ContentDriver contents;
    Population population;
    std::unique_ptr<WorkQueue> queue;
};

}  // namespace heapwright::validate
