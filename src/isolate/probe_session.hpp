// The parent's side of a probe: one child for each driver, so that a driver that crashes or hangs ends alone. The
// parent loads no driver itself.
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "heapwright/core/result.hpp"
#include "heapwright/model/policy.hpp"
#include "heapwright/model/report.hpp"
#include "heapwright/model/validation.hpp"
#include "heapwright/model/workload.hpp"

namespace heapwright::isolate {

using ProgressFunction = std::function<void(std::string_view stage, double share)>;

enum class ApiChoice : std::uint8_t { kVulkan, kD3d12, kAll };

struct ProbeOptions {
    ApiChoice apis = ApiChoice::kAll;
    std::vector<std::string> selectors;  // see model/selection.hpp; empty: every device
    std::vector<std::string> icd_files;  // empty: every driver of the machine
    bool measure_memory_cost = false;
    std::uint64_t memory_limit_bytes = 0;  // 0: the default (isolate/memory_limit.hpp)
    std::uint64_t time_limit_ns = ~0ull;   // for each device
    const model::Workload* workload = nullptr;
    ProgressFunction progress;  // may be empty
};

// What the drivers say of themselves, with what could not be reached.
struct Enumeration {
    std::vector<model::DeviceIdentity> devices;  // in the order of their global index
    std::vector<model::ProbeFailure> failures;
};

[[nodiscard]] Result<Enumeration> enumerate_devices(const ProbeOptions& options);

// Every selected device, sweep included, observations not yet. A device whose driver crashed after its facts were read
// is there with those facts and a finding. Errors: kNoLoader, kNoDevice, kInvalidArgument (a selector that matches
// nothing), kInterrupted, kDriverFailure when nothing at all could be read.
[[nodiscard]] Result<model::Report> probe_devices(const ProbeOptions& options);

// The APIs are those of the policy's devices.
struct ValidateOptions {
    std::vector<std::string> selectors;
    std::vector<std::string> icd_files;
    bool validation_layers = false;
    bool allow_other_device = false;
    bool baselines = false;              // other allocators on the same operations, for comparison
    std::vector<std::string> scenarios;  // by name; empty: all
    std::uint64_t seed = 0;
    std::uint64_t memory_limit_bytes = 0;
    std::uint64_t time_limit_ns = ~0ull;
    ProgressFunction progress;
};

// Runs the policy of each device on the device it was made for. Errors: kDeviceMismatch when no selected device is the
// policy's, and like probe_devices(). A driver that crashes gives a failed device validation that names the call.
[[nodiscard]] Result<model::Validation> validate_devices(const model::Policy& policy, const model::Workload& workload,
                                                         const ValidateOptions& options);

}  // namespace heapwright::isolate
