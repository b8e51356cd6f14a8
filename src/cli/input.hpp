// Where a command's documents come from.
#pragma once

#include <string>

#include "heapwright/core/result.hpp"

namespace heapwright::cli {

struct Input {
    std::string text;
    std::string name;  // for messages: the file as it was given, or "standard input"
};

// "-" is standard input. Errors: as read_file().
[[nodiscard]] Result<Input> read_input(const std::string& file);

}  // namespace heapwright::cli
