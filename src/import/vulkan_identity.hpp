// The identity of a Vulkan device from the values and names that files hold. Pure and thread-safe.
// Source: VkPhysicalDeviceType, VkDriverId, VK_MAKE_API_VERSION.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "heapwright/model/report.hpp"

namespace heapwright::imports {

[[nodiscard]] model::DeviceType vulkan_device_type(std::uint64_t value);
// "VK_PHYSICAL_DEVICE_TYPE_DISCRETE_GPU", also without its prefixes.
[[nodiscard]] model::DeviceType vulkan_device_type(std::string_view name);

// "NVIDIA_PROPRIETARY"; "DRIVER_ID_99" for a number that the specification did not have.
[[nodiscard]] std::string vulkan_driver_id(std::uint64_t value);
// From "VK_DRIVER_ID_NVIDIA_PROPRIETARY", also without "VK_".
[[nodiscard]] std::string vulkan_driver_id(std::string_view name);

[[nodiscard]] std::string vulkan_version_text(std::uint64_t version);

// Empty for a version of zeros, by which drivers say that they passed no conformance test.
[[nodiscard]] std::string conformance_text(std::string_view version);

// The minor version of "1.MINOR.PATCH"; 0 when there is none.
[[nodiscard]] std::uint32_t api_minor_version(std::string_view version);

}  // namespace heapwright::imports
