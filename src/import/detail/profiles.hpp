// Vulkan Profiles JSON (https://schema.khronos.org/vulkan/profiles-*.json), as vulkaninfo --json writes it.
// A profile's capabilities are merged, the first block that holds a value giving it; alternative blocks say what may
// be, not what is, and are left out with a finding.
// Pure and thread-safe. Errors as in import.hpp.
#pragma once

#include <vector>

#include "heapwright/core/result.hpp"
#include "heapwright/import/detail/json_value.hpp"
#include "heapwright/model/report.hpp"

namespace heapwright::imports::detail {

[[nodiscard]] bool is_profiles(const JsonValue& root);
[[nodiscard]] Result<std::vector<model::DeviceReport>> import_profiles(const JsonValue& root);

}  // namespace heapwright::imports::detail
