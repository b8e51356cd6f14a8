// The manual page heapwright(1), in the man(7) macros: what the program says of its commands and options, and around
// it what does not stand in --help. Pure.
#pragma once

#include <string>
#include <string_view>

#include "heapwright/cli/option_tree.hpp"

namespace heapwright::cli {

// `date` is ISO 8601, of the release.
[[nodiscard]] std::string manual_page(const ProgramEntry& program, std::string_view version, std::string_view date);

}  // namespace heapwright::cli
