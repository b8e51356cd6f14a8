// A workload document as somebody wrote it, to one that every part of the program takes: its shape (model/json.hpp),
// what the stream can play (check_workload(), stream.hpp) and what a device may create (creation_rules.hpp). Pure and
// thread-safe.
#pragma once

#include <string_view>

#include "heapwright/core/result.hpp"
#include "heapwright/model/workload.hpp"

namespace heapwright::workload {

// Errors: those of the three checks, at `source` and a JSON pointer.
[[nodiscard]] Result<model::Workload> read_checked_workload(std::string_view text, std::string_view source);

}  // namespace heapwright::workload
