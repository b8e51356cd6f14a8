// The importers, one for each format: whether a text is of it, and its devices. Pure and thread-safe. Errors as in
// import.hpp.
#pragma once

#include <string_view>
#include <vector>

#include "heapwright/core/result.hpp"
#include "heapwright/model/report.hpp"
#include "import/detail/json_value.hpp"

namespace heapwright::imports::detail {

// D3d12info's JSON (https://github.com/sawickiap/D3d12info): an array of runs, each with its adapters. Facts keep the
// names of the structures: integers of D3D12_FEATURE_DATA_* are limits, booleans features, in the file's order.
[[nodiscard]] bool is_d3d12info(const JsonValue& root);
[[nodiscard]] Result<std::vector<model::DeviceReport>> import_d3d12info(const JsonValue& root);

// Heaps and budgets from DXGI, memory types from what Direct3D 12 defines for the adapter's architecture.
[[nodiscard]] Status read_d3d12_memory(const JsonValue& adapter, model::DeviceReport& device);

// Devices as programs log them: a name, versions, and heaps with DXVK.
//
//   DXVK's log             of DXVK alone, or of Proton with DXVK's lines in it; a device that several processes listed
//                          counts once. Sizes are whole mebibytes, rounded down. Logs of newer versions may
//                          name a device alone ("Found device: ..."). Source: DXVK, DxvkAdapter::logAdapterInfo.
//   gfxreconstruct info    what gfxrecon-info prints of a capture; no heaps. Source: gfxreconstruct, tools/info.

[[nodiscard]] bool is_dxvk_log(std::string_view text);
[[nodiscard]] Result<std::vector<model::DeviceReport>> import_dxvk_log(std::string_view text, std::string_view source);

[[nodiscard]] bool is_gfxrecon_info(std::string_view text);
[[nodiscard]] Result<std::vector<model::DeviceReport>> import_gfxrecon_info(std::string_view text,
                                                                            std::string_view source);

// The JSON of vulkaninfo --json before 1.3 and of VK_LAYER_LUNARG_device_simulation's configurations, one device: each
// structure under its own name ("VkPhysicalDeviceProperties", "VkPhysicalDeviceMemoryProperties", ...), arrays under
// "ArrayOf" and the structure's name. Vulkan Profiles JSON followed it, without memory.
// Source: https://schema.khronos.org/vulkan/devsim_1_0_0.json.

[[nodiscard]] bool is_devsim(const JsonValue& root);
[[nodiscard]] Result<model::DeviceReport> import_devsim(const JsonValue& root);

// Reports of the Vulkan Hardware Capability Viewer, as https://vulkan.gpuinfo.org serves them (report version 4):
// "properties", "features", "memory", "queues", "extensions", "extended" (properties and features by extension) and
// "core11" to "core14". Numbers are integers, decimal strings or hexadecimal strings.

[[nodiscard]] bool is_gpuinfo(const JsonValue& root);
[[nodiscard]] Result<model::DeviceReport> import_gpuinfo(const JsonValue& root);

// Vulkan Profiles JSON (https://schema.khronos.org/vulkan/profiles-*.json), as vulkaninfo --json writes it, and the
// form of 1.3.201, where "capabilities" and "profiles" are lists of named objects. A profile's capability blocks are
// merged: the first that holds a value gives it, and their queue families and extensions are added up. Of alternative
// blocks the first is taken. Findings tell the alternatives that were left out and values that blocks state
// differently.

[[nodiscard]] bool is_profiles(const JsonValue& root);
[[nodiscard]] Result<std::vector<model::DeviceReport>> import_profiles(const JsonValue& root);

// vkjson, which Android's "cmd gpu vkjson" and LunarG's vkjson_info write: "properties", "features", "memory",
// "queues", "extensions", "layers" and "formats" of a device, or an instance with such devices in "devices". Numbers of
// 64 bits are hexadecimal text. From 1.1 on a device also holds "idProperties", "maintenance3Properties" and others,
// the names of structures without "VkPhysicalDevice"; an extension's stand under its name, as in
// "VK_KHR_driver_properties". Source: frameworks/native/vulkan/vkjson of Android. Pure and thread-safe. Errors as in
// import.hpp.

[[nodiscard]] bool is_vkjson(const JsonValue& root);
// The devices in the file's order.
[[nodiscard]] Result<std::vector<model::DeviceReport>> import_vkjson(const JsonValue& root);

// The text that vulkaninfo prints, full or --summary: one device for each "GPUn" heading, in their order; the same
// number twice makes two devices. Where a section stands twice under one heading, the first counts.

[[nodiscard]] bool is_vulkaninfo(std::string_view text);
[[nodiscard]] Result<std::vector<model::DeviceReport>> import_vulkaninfo(std::string_view text,
                                                                         std::string_view source);

}  // namespace heapwright::imports::detail
