// The references inside a document whose shape is right: indices lead somewhere, lengths agree, what must ascend
// ascends. Errors: kSchemaViolation with the JSON pointer, the value and the limit.
#pragma once

#include <string_view>

#include "heapwright/core/result.hpp"
#include "heapwright/model/policy.hpp"
#include "heapwright/model/report.hpp"
#include "heapwright/model/validation.hpp"
#include "heapwright/model/workload.hpp"

namespace heapwright::model::detail {

[[nodiscard]] Status check(const Report& report, std::string_view source);
[[nodiscard]] Status check(const Workload& workload, std::string_view source);
[[nodiscard]] Status check(const Policy& policy, std::string_view source);
[[nodiscard]] Status check(const Validation& validation, std::string_view source);

// A document's text to its members. The references inside it are checked by check(), above.
// Compiled once for each document (json.cpp, comparison.cpp); read.hpp has it for other records. Errors: those of
// read_report() (json.hpp), at `source` and a JSON pointer. Pure and thread-safe.

template <class T>
Result<T> read_shape(std::string_view text, std::string_view source);

}  // namespace heapwright::model::detail
