// Vulkan Profiles JSON (https://schema.khronos.org/vulkan/profiles-*.json), as vulkaninfo --json writes it, and the
// form of 1.3.201, where "capabilities" and "profiles" are lists of named objects. A profile's capability blocks are
// merged: the first that holds a value gives it, and their queue families and extensions are added up. Of alternative
// blocks the first is taken. Findings tell the alternatives that were left out and values that blocks state
// differently. Pure and thread-safe. Errors as in import.hpp.
#pragma once

#include <vector>

#include "heapwright/core/result.hpp"
#include "heapwright/model/report.hpp"
#include "import/detail/json_value.hpp"

namespace heapwright::imports::detail {

[[nodiscard]] bool is_profiles(const JsonValue& root);
[[nodiscard]] Result<std::vector<model::DeviceReport>> import_profiles(const JsonValue& root);

}  // namespace heapwright::imports::detail
