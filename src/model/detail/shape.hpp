// A document's text to its members. The references inside it are checked apart (check.hpp).
// Compiled once for each document (json.cpp, comparison.cpp); read.hpp has it for other records. Errors: those of
// read_report() (json.hpp), at `source` and a JSON pointer. Pure and thread-safe.
#pragma once

#include <string_view>

#include "heapwright/core/result.hpp"

namespace heapwright::model::detail {

template <class T>
Result<T> read_shape(std::string_view text, std::string_view source);

}  // namespace heapwright::model::detail
