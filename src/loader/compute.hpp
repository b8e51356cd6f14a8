// A policy computed at start-up for a device that no stored one fits. Pure, but for reading the files that the caller
// names.
#pragma once

#include <string>

#include "heapwright/core/result.hpp"
#include "loader/policy_folder.hpp"
#include "loader/running_device.hpp"

namespace heapwright::loader {

struct ComputeRequest {
    std::string report_file;  // empty: from heaps, memory types and limits alone
    std::string workload;     // a preset's name or a file; empty: general-engine
};

struct Computed {
    StoredPolicy policy;  // its file is empty
    std::string reason;
};

// Errors: those of reading the files; kDeviceMismatch when the report does not hold the device; those of
// policy::advise.
[[nodiscard]] Result<Computed> compute(const RunningDevice& device, const ComputeRequest& request);

}  // namespace heapwright::loader
