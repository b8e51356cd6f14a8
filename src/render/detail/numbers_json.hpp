// The numbers of one device's policy, each with its reasons, inputs and losers in words. Pure and thread-safe.
#pragma once

#include <nlohmann/json.hpp>

#include "heapwright/render/explain.hpp"

namespace heapwright::render::detail {

// [{"path", "pattern", "name", "value", "reasons", "inputs", "alternatives"}]
[[nodiscard]] nlohmann::ordered_json numbers_json(const model::DevicePolicy& device, const ExplainOptions& options);

}  // namespace heapwright::render::detail
