// The program's commands and options as CLI11 holds them, read from the program itself, so that the manual page and
// the shell completions cannot miss one. Hidden commands are left out.
#pragma once

#include <string>
#include <vector>

namespace CLI {
class App;
}

namespace heapwright::cli {

struct OptionEntry {
    std::vector<std::string> short_names;  // "o"
    std::vector<std::string> long_names;   // "output"
    std::string description;
    std::string value_name;  // empty: a flag
    std::string by_default;
    std::vector<std::string> choices;  // the values that it takes, where it takes only these
    bool repeatable = false;
    bool required = false;
    bool takes_file = false;
};

struct CommandEntry {
    std::string name;
    std::string description;
    std::vector<OptionEntry> options;
    std::vector<OptionEntry> arguments;  // positional; value_name is their name
};

struct ProgramEntry {
    std::string name;
    std::string description;
    std::string footer;
    std::vector<OptionEntry> options;
    std::vector<CommandEntry> commands;
};

[[nodiscard]] ProgramEntry option_tree(const CLI::App& program);

// "-o, --output".
[[nodiscard]] std::string joined_names(const OptionEntry& option);

}  // namespace heapwright::cli
