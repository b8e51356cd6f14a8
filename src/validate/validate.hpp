// Runs a policy on a device and says whether it holds: every resource is really created, placed, filled by the device,
// read back and compared; a shadow checker that does not trust the allocator judges every call.
// Verdicts: kValidated on a real device, kReplayed on a replayed report, either ...InPart where a part of the workload
// did not run, kFailed with findings, kInconclusive when a limit or an interruption came first, kNotSupported where the
// device lacks all that was asked for. Sizes in bytes, times in nanoseconds.
// The device is idle and holds nothing of the run when it returns. Not thread-safe; one run a device at a time.
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "core/clock.hpp"
#include "device/device.hpp"
#include "frame/render_device.hpp"
#include "heapwright/core/result.hpp"
#include "heapwright/model/policy.hpp"
#include "heapwright/model/validation.hpp"
#include "heapwright/model/workload.hpp"
#include "validate/allocator_under_test.hpp"
#include "validate/request.hpp"

namespace heapwright::device {
class MeasurementSession;
}

namespace heapwright::validate {

// What was asked, and what only the caller's code can give.
struct ValidateOptions : ValidationRequest {
    ValidateOptions() = default;
    explicit ValidateOptions(ValidationRequest asked) : ValidationRequest(std::move(asked)) {}

    std::uint64_t memory_limit_bytes = ~0ull;  // all heaps together, staging memory included
    std::uint64_t time_limit_ns = ~0ull;
    std::uint64_t churn_steps = 0;     // 0: the workload's
    Clock* simulated_clock = nullptr;  // time that passes on the device alone (replay), added to the machine's
    // The machine's own time; null: the steady clock. One that stands still leaves a replayed device's time alone,
    // whatever else the machine does.
    Clock* machine_clock = nullptr;
    std::function<void(std::string_view stage, double share)> progress;  // may be empty
    // Told of the device with each scenario alone, as soon as it is done: what a driver ends later loses none. May be
    // empty.
    std::function<void(const model::DeviceValidation& part)> on_scenario;
    AllocatorFactory allocator;                   // empty: the runtime's memory pool
    frame::VisibleHeapFactory make_visible_heap;  // empty: the runtime's shader-visible descriptor heap
    // What each scenario of descriptors may spend on more than its least number of frames.
    std::uint64_t extra_frames_ns = 500'000'000;
    // That the policy was made for another workload than the one played, which the verdict says first: what it promises
    // is judged by its own workload alone. Empty: it is its own.
    std::string other_workload;
    // What the scenarios of descriptors may record at the same time and in a frame; validate() puts the workload's
    // here.
    model::BindingHint bindings;
    const device::MeasurementSession* session = nullptr;  // made by validate(): what the times are taken in

    // Of every random choice of a scenario. validate() puts the workload's own into `seed` where none was asked.
    [[nodiscard]] std::uint64_t run_seed() const { return seed.value_or(1); }
};

// In the order in which they run.
[[nodiscard]] std::vector<std::string_view> scenario_names();

// Errors: kInvalidArgument (a workload or policy that cannot be used at all, an unknown scenario), kDeviceLost. A fault
// of the allocator or the driver is no error but a finding.
[[nodiscard]] Result<model::DeviceValidation> validate(device::Device& device, const model::DevicePolicy& policy,
                                                       const model::Workload& workload, const ValidateOptions& options);

}  // namespace heapwright::validate
