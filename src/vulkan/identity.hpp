// Who a physical device is and which driver serves it.
// Source: VkPhysicalDeviceProperties, VkPhysicalDeviceIDProperties, VkPhysicalDeviceDriverProperties,
// VkPhysicalDevicePCIBusInfoPropertiesEXT. What the device does not tell stays empty. Thread-safe.
#pragma once

#include "heapwright/model/report.hpp"
#include "heapwright/vulkan/instance.hpp"
#include "heapwright/vulkan/physical_device.hpp"

namespace heapwright::vulkan {

[[nodiscard]] model::DeviceIdentity read_identity(const Instance& instance, const PhysicalDevice& device);

// "NVIDIA_PROPRIETARY"; "DRIVER_ID_99" for a number that the headers do not know.
[[nodiscard]] std::string driver_id_name(VkDriverId id);

}  // namespace heapwright::vulkan
