// The scenario "mixed-workload": a seeded load of images and buffers, then churn in frames with several in flight.
// Each resource is created by the allocator under test, filled by the device, and read back at random times, at
// destruction for a share of them, and all of what is alive at the end; it is poisoned before its release where that
// is cheap, so that stale bytes show. One instance runs once. Not thread-safe.
#pragma once

#include "heapwright/core/result.hpp"
#include "heapwright/device/device.hpp"
#include "heapwright/model/policy.hpp"
#include "heapwright/model/validation.hpp"
#include "heapwright/validate/validate.hpp"

namespace heapwright::validate {

// Errors as validate().
[[nodiscard]] Result<model::ScenarioResult> run_mixed_workload(device::Device& device,
                                                               const model::DevicePolicy& policy,
                                                               const model::Workload& workload,
                                                               const ValidateOptions& options);

}  // namespace heapwright::validate
