// The engine's device as the rest of the library sees one: its functions, what is enabled on it, its facts.
// Owns nothing of the API. Read-only after adopt(), so thread-safe. Stays where it is.
// Beside it: its policy, chosen from a document or made at once.
#pragma once

#include <memory>
#include <string>
#include <string_view>

#include "heapwright/core/result.hpp"
#include "heapwright/model/policy.hpp"
#include "heapwright/model/report.hpp"
#include "heapwright/vulkan/device_pool.hpp"
#include "heapwright_generated/volk.hpp"
#include "vulkan/instance.hpp"
#include "vulkan/open_device.hpp"

namespace heapwright::vulkan {

// What the structures of vkCreateDevice() switch on, of what memory needs.
[[nodiscard]] vulkan::EnabledFeatures enabled_by(const VkDeviceCreateInfo* created_with, std::uint32_t api_version);

class AdoptedDevice {
public:
    // Errors: those of device_facts().
    [[nodiscard]] static Result<std::unique_ptr<AdoptedDevice>> adopt(const PoolDevice& device);

    [[nodiscard]] const vulkan::OpenDevice& open() const { return *open_; }
    [[nodiscard]] const vulkan::Instance& instance() const { return instance_; }
    [[nodiscard]] const model::DeviceReport& facts() const { return facts_; }

private:
    explicit AdoptedDevice(vulkan::Instance instance) : instance_(std::move(instance)) {}

    vulkan::Instance instance_;
    std::unique_ptr<vulkan::OpenDevice> open_;
    model::DeviceReport facts_;
};

// The policy of an adopted device: chosen from a document, or made at once.

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
