// The policy of an adopted device: chosen from a document, or made at once.
#pragma once

#include <string>
#include <string_view>

#include "heapwright/core/result.hpp"
#include "heapwright/model/policy.hpp"
#include "heapwright/model/report.hpp"

namespace heapwright::vulkan {

struct FittingPolicy {
    model::DevicePolicy policy;
    std::string workload_name;
    std::string explanation;
};

// The document's policy that fits best, scaled to the device's heaps. Errors: those of reading; kDeviceMismatch.
[[nodiscard]] Result<FittingPolicy> fitting_policy(const model::DeviceReport& facts, std::string_view document,
                                                   std::string_view source);

// Errors: those of policy::advise(); kInvalidArgument for an unknown workload.
[[nodiscard]] Result<FittingPolicy> made_policy(const model::DeviceReport& facts, const std::string& workload_name);

}  // namespace heapwright::vulkan
