// Limits, properties and features as named numbers. What is read is data (fact_tables.hpp): a structure's name, type,
// size and where it is available, and the members to keep. Structures that the device does not have are not chained
// and give no facts. Floating-point members are not kept. Thread-safe.
// Source: Vulkan 1.3 specification, "Limits" and "Features"; each extension's own properties and features structures.
#pragma once

#include <vector>

#include "heapwright/model/report.hpp"
#include "heapwright/vulkan/instance.hpp"
#include "heapwright/vulkan/physical_device.hpp"

namespace heapwright::vulkan {

// VkPhysicalDeviceLimits and VkPhysicalDeviceSparseProperties first, then the other structures in the tables' order.
[[nodiscard]] std::vector<model::Fact> read_limits(const Instance& instance, const PhysicalDevice& device);

// VkPhysicalDeviceFeatures first; each value is 0 or 1.
[[nodiscard]] std::vector<model::Fact> read_features(const Instance& instance, const PhysicalDevice& device);

}  // namespace heapwright::vulkan
