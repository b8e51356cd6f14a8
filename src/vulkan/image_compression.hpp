// Which compression the driver gives images of each format, tiling and usage of the sweep, and which fixed rates such
// an image may ask for. Allocates nothing; thread-safe.
// Source: VK_EXT_image_compression_control.
#pragma once

#include "heapwright/model/report.hpp"
#include "heapwright/vulkan/instance.hpp"
#include "heapwright/vulkan/physical_device.hpp"

namespace heapwright::vulkan {

// Needs the image sweep; fills image_compression or says in `unreported` why not.
void read_image_compression(const Instance& instance, const PhysicalDevice& device, model::DeviceReport& report);

}  // namespace heapwright::vulkan
