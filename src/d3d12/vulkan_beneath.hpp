// The Vulkan device on which a Direct3D 12 runtime works (vkd3d, Wine), asked for what that runtime does not tell.
// Borrows its instance, which outlives it. Thread-safe.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "d3d12/adapter.hpp"
#include "heapwright/model/report.hpp"

#ifndef VK_NO_PROTOTYPES
#define VK_NO_PROTOTYPES
#endif
#include <vulkan/vulkan_core.h>

namespace heapwright::d3d12 {

class VulkanBeneath {
public:
    VulkanBeneath(VkInstance instance, VkPhysicalDevice device, PFN_vkGetInstanceProcAddr get);

    // Everything but the API's and the runtime's own parts.
    void describe(model::DeviceIdentity& identity) const;

    // The largest device-local and the largest other heap.
    [[nodiscard]] AdapterMemory memory() const;

    // An extension of the device.
    [[nodiscard]] bool has(std::string_view extension) const;

private:
    template <class Function>
    [[nodiscard]] Function function(const char* name) const {
        return reinterpret_cast<Function>(get_(instance_, name));
    }

    VkInstance instance_;
    VkPhysicalDevice device_;
    PFN_vkGetInstanceProcAddr get_;
    std::vector<std::string> extensions_;
};

}  // namespace heapwright::d3d12
