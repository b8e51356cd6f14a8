// Heaps, memory types, budgets and queue families as the device lists them. Thread-safe.
// Source: VkPhysicalDeviceMemoryProperties, VkPhysicalDeviceMemoryBudgetPropertiesEXT, VkQueueFamilyProperties.
#pragma once

#include "heapwright/model/report.hpp"
#include "heapwright/vulkan/instance.hpp"
#include "heapwright/vulkan/physical_device.hpp"

namespace heapwright::vulkan {

// Fills heaps, memory_types, run.heap_budgets (empty without VK_EXT_memory_budget) and the findings about them:
// "zero-size-heap", "memory-type-without-heap".
void read_memory(const Instance& instance, const PhysicalDevice& device, model::DeviceReport& report);

[[nodiscard]] std::vector<model::QueueFamily> read_queue_families(const Instance& instance,
                                                                  const PhysicalDevice& device);

}  // namespace heapwright::vulkan
