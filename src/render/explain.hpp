// A policy in words: of every number its value and why. Figures are in units for people; the document has the exact
// ones. Pure and thread-safe.
#pragma once

#include <cstddef>
#include <string>

#include "heapwright/model/policy.hpp"

namespace heapwright::render {

struct ExplainOptions {
    bool main = false;  // only what most people ask for; with neither of the others
    bool all = false;   // of every number all that the policy says: each input, and each value that lost
    // The numbers whose name, place or value holds this, or where none does each of its words: "chunk_size", "heap 1",
    // "32 MiB", "upload ring". Of several the first in full, unless `all`; the others in a line each.
    std::string why;
};

struct Explained {
    std::string text;
    std::size_t numbers = 0;  // that were told
};

[[nodiscard]] Explained explain(const model::Policy& policy, const ExplainOptions& options = {});

// The numbers as JSON: {"devices": [{"name", "numbers": [{"path", "name", "value", "reasons", "inputs",
// "alternatives"}]}]}; `why` picks as above, `all` changes nothing.
[[nodiscard]] std::string explanation_document(const model::Policy& policy, const ExplainOptions& options = {});

}  // namespace heapwright::render
