// Vulkan's structures in a JSON file that spells their members as the specification does. A part that the file does not
// have leaves the report's empty.
// Pure and thread-safe. Errors as in import.hpp.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "heapwright/core/result.hpp"
#include "heapwright/model/report.hpp"
#include "import/detail/json_value.hpp"
#include "import/vulkan_facts.hpp"

namespace heapwright::imports::detail {

[[nodiscard]] std::optional<FoundValue> found_value(const std::optional<JsonValue>& value);

// The number under `key`. Where there is none the answer is 0 and `pointer`, its place in the report, is listed in
// `absent`; what stands there and is no number up to `limit`, which is below 2^32, gives a finding too.
[[nodiscard]] std::uint32_t number_or_absent(const JsonValue& parent, std::string_view key, std::uint64_t limit,
                                             std::string pointer, model::DeviceReport& device);

// VkPhysicalDeviceProperties: the device's name, ids, versions and type, each absent where it is missing. A device
// without a name is called "unnamed device".
void read_properties(const JsonValue& properties, model::DeviceReport& device);

// "1.3.1.1" of a VkConformanceVersion; empty where it is missing or holds zeros.
[[nodiscard]] std::string conformance_of(const std::optional<JsonValue>& version);

// An array of VkExtensionProperties.
[[nodiscard]] Status read_extensions(const std::optional<JsonValue>& extensions, model::DeviceReport& device);

// VkPhysicalDeviceMemoryProperties, its arrays as long as their counts say, where it has them.
[[nodiscard]] Status read_memory(const std::optional<JsonValue>& memory, model::DeviceReport& device);

// Adds a VkQueueFamilyProperties whose flags were read already. A missing member is 0 and listed in `absent`.
void add_queue_family(const JsonValue& family, model::Flags flags, model::DeviceReport& device);

// An array of VkQueueFamilyProperties.
[[nodiscard]] Status read_queue_families(const std::optional<JsonValue>& queues, model::DeviceReport& device);

}  // namespace heapwright::imports::detail
