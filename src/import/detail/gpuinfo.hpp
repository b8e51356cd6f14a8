// Reports of the Vulkan Hardware Capability Viewer, as https://vulkan.gpuinfo.org serves them (report version 4):
// "properties", "features", "memory", "queues", "extensions", "extended" (properties and features by extension) and
// "core11" to "core14". Numbers are integers, decimal strings or hexadecimal strings.
// Pure and thread-safe. Errors as in import.hpp.
#pragma once

#include "heapwright/core/result.hpp"
#include "heapwright/model/report.hpp"
#include "import/detail/json_value.hpp"

namespace heapwright::imports::detail {

[[nodiscard]] bool is_gpuinfo(const JsonValue& root);
[[nodiscard]] Result<model::DeviceReport> import_gpuinfo(const JsonValue& root);

}  // namespace heapwright::imports::detail
