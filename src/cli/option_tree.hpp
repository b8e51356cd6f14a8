// The program's commands and options as CLI11 holds them, read from the program itself, so that the manual page and
// the shell completions cannot miss one. Hidden commands are left out.
#pragma once

#include <string>
#include <string_view>
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

// A command below another has both names: "store add".
struct CommandEntry {
    std::string name;
    std::string description;
    std::vector<std::string> commands;  // the names, without its own, of those below it
    std::vector<OptionEntry> options;
    std::vector<OptionEntry> arguments;  // positional; value_name is their name
};

struct ProgramEntry {
    std::string name;
    std::string description;
    std::string footer;
    std::vector<OptionEntry> options;
    std::vector<CommandEntry> commands;  // one that has others below it stands before them
};

[[nodiscard]] ProgramEntry option_tree(const CLI::App& program);

[[nodiscard]] std::string joined(const std::vector<std::string>& words, std::string_view separator = " ");

// "add" of "store add".
[[nodiscard]] std::string last_name(const CommandEntry& command);

// The manual page heapwright(1), in the man(7) macros: what the program says of its commands and options, and around
// it what does not stand in --help. Pure.

// `date` is ISO 8601, of the release.
[[nodiscard]] std::string manual_page(const ProgramEntry& program, std::string_view version, std::string_view date);

}  // namespace heapwright::cli
