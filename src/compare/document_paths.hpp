// Every path that a comparison of a document may speak of, whatever differs: fields, sweep cases with their properties,
// measured figures (without `costs` only whether they are there), failures and devices. Pure and thread-safe.
#pragma once

#include <string>
#include <vector>

#include "compare/documents.hpp"

namespace heapwright::compare {

[[nodiscard]] std::vector<std::string> paths_of(const LoadedDocument& document, bool costs = true);

}  // namespace heapwright::compare
