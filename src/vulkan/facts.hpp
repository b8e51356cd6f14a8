// Limits, properties and features as named numbers, and the few that are text. What is read is data (fact_tables.hpp):
// a structure's name, type, size and where it is available, and the members to keep. Structures that the device does
// not have are not chained and give no facts but a line of `unreported` with the reason. Floating-point members are not
// kept. Thread-safe. Source: Vulkan 1.3 specification, "Limits" and "Features"; each extension's own properties and
// features structures.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "heapwright/model/report.hpp"
#include "heapwright/vulkan/instance.hpp"
#include "heapwright/vulkan/physical_device.hpp"

namespace heapwright::vulkan {

struct Facts {
    std::vector<model::Fact> values;
    std::vector<model::UnreportedFact> unreported;
};

// VkPhysicalDeviceLimits and VkPhysicalDeviceSparseProperties first, then the other structures in the tables' order.
[[nodiscard]] Facts read_limits(const Instance& instance, const PhysicalDevice& device);

// VkPhysicalDeviceFeatures first; each value is 0 or 1.
[[nodiscard]] Facts read_features(const Instance& instance, const PhysicalDevice& device);

// Why a device gives no facts that need `core_version` (0: no version) or `extension` (empty: none).
[[nodiscard]] std::string why_unreported(const Instance& instance, std::uint32_t core_version,
                                         std::string_view extension);

}  // namespace heapwright::vulkan
