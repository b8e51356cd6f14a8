// vkjson, which Android's "cmd gpu vkjson" and LunarG's vkjson_info write: "properties", "features", "memory",
// "queues", "extensions", "layers" and "formats" of a device, or an instance with such devices in "devices". Numbers of
// 64 bits are hexadecimal text. From 1.1 on a device also holds "idProperties", "maintenance3Properties" and others,
// the names of structures without "VkPhysicalDevice"; an extension's stand under its name, as in
// "VK_KHR_driver_properties". Source: frameworks/native/vulkan/vkjson of Android. Pure and thread-safe. Errors as in
// import.hpp.
#pragma once

#include <vector>

#include "heapwright/core/result.hpp"
#include "heapwright/model/report.hpp"
#include "import/detail/json_value.hpp"

namespace heapwright::imports::detail {

[[nodiscard]] bool is_vkjson(const JsonValue& root);
// The devices in the file's order.
[[nodiscard]] Result<std::vector<model::DeviceReport>> import_vkjson(const JsonValue& root);

}  // namespace heapwright::imports::detail
