// Facts that are text or lists: the layout identifier of host image copies, the APIs that a device is a layer over.
// What the device has not goes to `unreported` with the reason. Thread-safe.
// Source: VkPhysicalDeviceHostImageCopyProperties, VkPhysicalDeviceLayeredApiPropertiesListKHR,
// VkPhysicalDeviceDriverProperties, VkPhysicalDeviceIDProperties.
#pragma once

#include "heapwright/model/report.hpp"
#include "heapwright/vulkan/instance.hpp"
#include "heapwright/vulkan/physical_device.hpp"

namespace heapwright::vulkan {

// report.texts; the groups of the identity that the device has not, too.
void read_texts(const Instance& instance, const PhysicalDevice& device, model::DeviceReport& report);

void read_layered_apis(const Instance& instance, const PhysicalDevice& device, model::DeviceReport& report);

}  // namespace heapwright::vulkan
