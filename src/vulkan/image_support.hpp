// Whether a device can create an image of some format, tiling, usage and shape, and up to which extent.
// Source: vkGetPhysicalDeviceImageFormatProperties. Thread-safe.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "heapwright_generated/volk.hpp"

#include "heapwright/model/sweep.hpp"
#include "vulkan/instance.hpp"

namespace heapwright::vulkan {

struct ImageSupport {
    std::string not_supported;  // empty: supported within `limits`
    std::string failure;        // of the call: whether the device supports it is not known
    VkImageFormatProperties limits{};

    // Whether the limits admit this extent with this number of mip levels.
    [[nodiscard]] bool admits(const VkExtent3D& extent, std::uint32_t mip_levels) const {
        return extent.width <= limits.maxExtent.width && extent.height <= limits.maxExtent.height &&
               extent.depth <= limits.maxExtent.depth && mip_levels <= limits.maxMipLevels;
    }
};

// Why what vkGetPhysicalDeviceImageFormatProperties or its second form gave is no answer about an image; empty: it is.
[[nodiscard]] std::string failure_of(VkResult result, std::string_view call);

[[nodiscard]] ImageSupport image_support(const Instance& instance, VkPhysicalDevice device,
                                         const model::ImageCase& image);

// Everything but extent and mip levels.
[[nodiscard]] VkImageCreateInfo create_info(const model::ImageCase& image);

}  // namespace heapwright::vulkan
