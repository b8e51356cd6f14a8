// Completions of the program's commands, options and known values for three shells, from its option tree. Each gives
// the whole file. Pure.
#pragma once

#include <string>

#include "cli/option_tree.hpp"

namespace heapwright::cli {

[[nodiscard]] std::string bash_completion(const ProgramEntry& program);
[[nodiscard]] std::string zsh_completion(const ProgramEntry& program);
[[nodiscard]] std::string fish_completion(const ProgramEntry& program);

}  // namespace heapwright::cli
