// JSON as other tools write it. Beside sound JSON this takes:
//
//   JavaScript before it: comments, and one assignment ("const reports = [", "module.exports = {"), with ";" behind
//   control characters in a text: line ends of a driver's description that were written as they are
//   keys in a list: [ "0": {...} ], read without its keys
//
// The last two are no JSON and are told. There is no other way to read them: a text ends at its quotes, and a list has
// no use for a key. Whatever else is broken is refused with line and column.
// Pure and thread-safe.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "heapwright/core/result.hpp"
#include "import/detail/json_value.hpp"
#include "model/detail/json_tape.hpp"

namespace heapwright::imports::detail {

// Whether the text begins as JSON does, behind spaces, comments and at most one assignment.
[[nodiscard]] bool is_json_text(std::string_view text);

struct ForeignJson {
    model::detail::JsonTape tape;
    std::vector<std::string> defects;  // sentences about what was read in spite of it, with line and column
};

// Errors: kParseError, with the source, line and column of the first defect that cannot be read.
[[nodiscard]] Result<ForeignJson> parse_json_text(std::string_view text, std::string_view source);

// A JSON file of no known kind that is near to one: which, and what it lacks.
// Pure and thread-safe.

// "near to Vulkan Profiles JSON, ..."; nothing where no kind is near.
[[nodiscard]] std::optional<std::string> nearest_json_kind(const JsonValue& root);

}  // namespace heapwright::imports::detail
