// The JSON of vulkaninfo --json before 1.3 and of VK_LAYER_LUNARG_device_simulation's configurations, one device: each
// structure under its own name ("VkPhysicalDeviceProperties", "VkPhysicalDeviceMemoryProperties", ...), arrays under
// "ArrayOf" and the structure's name. Vulkan Profiles JSON followed it, without memory.
// Source: https://schema.khronos.org/vulkan/devsim_1_0_0.json.
// Pure and thread-safe. Errors as in import.hpp.
#pragma once

#include "heapwright/core/result.hpp"
#include "heapwright/model/report.hpp"
#include "import/detail/json_value.hpp"

namespace heapwright::imports::detail {

[[nodiscard]] bool is_devsim(const JsonValue& root);
[[nodiscard]] Result<model::DeviceReport> import_devsim(const JsonValue& root);

}  // namespace heapwright::imports::detail
