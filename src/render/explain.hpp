// A policy in words: every number with its reason, the inputs it was computed from and the alternatives that lost.
// Plain text, one paragraph a decision, lines not wrapped. Pure and thread-safe.
#pragma once

#include <string>

#include "heapwright/model/policy.hpp"

namespace heapwright::render {

[[nodiscard]] std::string explain(const model::Policy& policy);

}  // namespace heapwright::render
