// A policy in words. Unless more is asked for, each number takes three lines at most: the claim, and why in short. All
// of it is the whole reason, the inputs that it was computed from and the alternatives that lost, lines not wrapped.
// Figures are in units for people (human_units.hpp); the document has the exact ones. Pure and thread-safe.
#pragma once

#include <string>

#include "heapwright/model/policy.hpp"

namespace heapwright::render {

struct ExplainOptions {
    bool all = false;  // of every number all that the policy says
    // All of the numbers whose name or place in the document holds this: "chunk_size", "heap 0". Only these are told.
    std::string why;
};

// No line is wider where a number is told in short, unless its name and value alone are.
inline constexpr std::size_t kExplanationWidth = 118;

// The numbers as JSON: {"devices": [{"name", "numbers": [{"path", "value", "reason", "inputs", "alternatives"}]}]};
// `why` picks as above, `all` changes nothing.
[[nodiscard]] std::string explanation_document(const model::Policy& policy, const ExplainOptions& options = {});

[[nodiscard]] std::string explain(const model::Policy& policy, const ExplainOptions& options = {});

}  // namespace heapwright::render
