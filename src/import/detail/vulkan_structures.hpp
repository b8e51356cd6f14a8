// Vulkan's structures in a JSON file that spells their members as the specification does. A part that the file does not
// have leaves the report's empty.
// Pure and thread-safe. Errors as in import.hpp.
#pragma once

#include <optional>

#include "heapwright/core/result.hpp"
#include "heapwright/import/detail/json_value.hpp"
#include "heapwright/import/vulkan_facts.hpp"
#include "heapwright/model/report.hpp"

namespace heapwright::imports::detail {

[[nodiscard]] std::optional<FoundValue> found_value(const std::optional<JsonValue>& value);

// VkPhysicalDeviceProperties: the device's name, ids, versions and type.
[[nodiscard]] Status read_properties(const JsonValue& properties, model::DeviceReport& device);

// An array of VkExtensionProperties.
[[nodiscard]] Status read_extensions(const std::optional<JsonValue>& extensions, model::DeviceReport& device);

// VkPhysicalDeviceMemoryProperties, its arrays as long as their counts say, where it has them.
[[nodiscard]] Status read_memory(const std::optional<JsonValue>& memory, model::DeviceReport& device);

// An array of VkQueueFamilyProperties.
[[nodiscard]] Status read_queue_families(const std::optional<JsonValue>& queues, model::DeviceReport& device);

}  // namespace heapwright::imports::detail
