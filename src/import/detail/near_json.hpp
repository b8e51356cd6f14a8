// A JSON file of no known kind that is near to one: which, and what it lacks.
// Pure and thread-safe.
#pragma once

#include <optional>
#include <string>

#include "import/detail/json_value.hpp"

namespace heapwright::imports::detail {

// "near to Vulkan Profiles JSON, ..."; nothing where no kind is near.
[[nodiscard]] std::optional<std::string> nearest_json_kind(const JsonValue& root);

}  // namespace heapwright::imports::detail
