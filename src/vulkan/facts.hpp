// What a physical device tells of itself. Allocates no device memory. Thread-safe.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "heapwright/model/report.hpp"
#include "vulkan/instance.hpp"
#include "vulkan/physical_device.hpp"

namespace heapwright::vulkan {

// Limits, properties and features as named numbers, and the few that are text. What is read is data (fact_tables.hpp):
// a structure's name, type, size and where it is available, and the members to keep. Structures that the device does
// not have are not chained and give no facts but a line of `unreported` with the reason. Floating-point members are not
// kept. Source: Vulkan 1.3 specification, "Limits" and "Features"; each extension's own properties and
// features structures.

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

// Who a physical device is and which driver serves it.
// Source: VkPhysicalDeviceProperties, VkPhysicalDeviceIDProperties, VkPhysicalDeviceDriverProperties,
// VkPhysicalDevicePCIBusInfoPropertiesEXT. What the device does not tell stays empty.

[[nodiscard]] model::DeviceIdentity read_identity(const Instance& instance, const PhysicalDevice& device);

// "NVIDIA_PROPRIETARY"; "DRIVER_ID_99" for a number that the headers do not know.
[[nodiscard]] std::string driver_id_name(VkDriverId id);

// Heaps, memory types, budgets and queue families as the device lists them.
// Source: VkPhysicalDeviceMemoryProperties, VkPhysicalDeviceMemoryBudgetPropertiesEXT, VkQueueFamilyProperties.

// Fills heaps, memory_types, run.heap_budgets (empty without VK_EXT_memory_budget) and the findings about them:
// "zero-size-heap", "memory-type-without-heap".
void read_memory(const Instance& instance, const PhysicalDevice& device, model::DeviceReport& report);

[[nodiscard]] std::vector<model::QueueFamily> read_queue_families(const Instance& instance,
                                                                  const PhysicalDevice& device);

// Facts that are text or lists: the layout identifier of host image copies, the APIs that a device is a layer over.
// What the device has not goes to `unreported` with the reason.
// Source: VkPhysicalDeviceHostImageCopyProperties, VkPhysicalDeviceLayeredApiPropertiesListKHR,
// VkPhysicalDeviceDriverProperties, VkPhysicalDeviceIDProperties.

// report.texts; the groups of the identity that the device has not, too.
void read_texts(const Instance& instance, const PhysicalDevice& device, model::DeviceReport& report);

void read_layered_apis(const Instance& instance, const PhysicalDevice& device, model::DeviceReport& report);

// Which compression the driver gives images of each format, tiling and usage of the sweep, and which fixed rates such
// an image may ask for.
// Source: VK_EXT_image_compression_control.

// Needs the image sweep; fills image_compression or says in `unreported` why not.
void read_image_compression(const Instance& instance, const PhysicalDevice& device, model::DeviceReport& report);

}  // namespace heapwright::vulkan
