// What partially resident images and buffers ask for, for the formats, tilings, dimensions and sample counts that the
// sweep found supported: bind granularity, block extents, mip tail. Allocates no memory.
// Source: VkSparseImageMemoryRequirements, vkGetPhysicalDeviceSparseImageFormatProperties.
#pragma once

#include "heapwright/model/report.hpp"
#include "vulkan/requirement_query.hpp"

namespace heapwright::vulkan {

// Needs report.features, memory types and the two sweeps; fills sparse_images, sparse_buffers and, where the device has
// no sparse residency, `unreported`. Answers that no report may hold are left out with a line there.
void read_sparse_requirements(const Instance& instance, const PhysicalDevice& device, RequirementQuery& query,
                              model::DeviceReport& report);

}  // namespace heapwright::vulkan
