// The parent's side of every stage that needs a driver: listing devices, probing them, validating a policy on them. One
// child runs each driver, so that a driver that crashes or hangs ends alone. The parent loads no driver itself.
// Not thread-safe.
#pragma once

#include <functional>
#include <string_view>
#include <vector>

#include "heapwright/core/result.hpp"
#include "heapwright/model/policy.hpp"
#include "heapwright/model/report.hpp"
#include "heapwright/model/validation.hpp"
#include "heapwright/model/workload.hpp"
#include "isolate/request.hpp"
#include "validate/request.hpp"

namespace heapwright::isolate {

using ProgressFunction = std::function<void(std::string_view stage, double share)>;  // may be empty

// What the drivers say of themselves, with what could not be reached.
struct Enumeration {
    std::vector<model::DeviceIdentity> devices;  // in the order of their global index
    std::vector<model::ProbeFailure> failures;
};

// Whatever the selectors. Errors: kNoLoader, kNoDevice, kInterrupted.
[[nodiscard]] Result<Enumeration> enumerate_devices(const DeviceChoice& choice, const ProgressFunction& progress = {});

struct Probed {
    model::Report report;
    // A driver crashed, hung or failed at what it has, or a device could not be measured for that. What a driver lacks
    // is no fault, nor that one of the machine's refuses to start for want of a device; one that was named should
    // start.
    bool faults = false;
};

// Every selected device, sweep included, observations not yet; with a workload (null: none) its points too. Where a
// driver crashes or hangs, the probe goes on without the step that it was in; a device whose driver crashed outside of
// any step is there with its facts, if they were read. Each crash is a failure and a finding.
// Errors: kNoLoader, kNoDevice, kInvalidArgument (a selector that matches nothing), kInterrupted, kDriverFailure when
// nothing at all could be read.
[[nodiscard]] Result<Probed> probe_devices(const DeviceChoice& choice, const ProbeRequest& request,
                                           const model::Workload* workload, const ProgressFunction& progress = {});

// Runs the policy of each device on the device it was made for; the APIs are those of the policy's devices.
// A driver that crashes, hangs or fails, and a device that cannot be opened or used, stand among the validation's
// failures; where all did, it has no device.
// Errors: kDeviceMismatch when no selected device is the policy's, and like probe_devices().
[[nodiscard]] Result<model::Validation> validate_devices(const model::Policy& policy, const model::Workload& workload,
                                                         const DeviceChoice& choice,
                                                         const validate::ValidationRequest& request,
                                                         const ProgressFunction& progress = {});

}  // namespace heapwright::isolate
