#include "cli/shell_completion.hpp"

#include <fmt/format.h>

namespace heapwright::cli {
namespace {

std::string replaced(std::string_view text, std::string_view what, std::string_view by) {
    std::string out;
    for (const char c : text) {
        if (what.find(c) == std::string_view::npos) {
            out += c;
        } else {
            out += by;
            out += c;
        }
    }
    return out;
}

// In single quotes a shell takes everything as it is, but a single quote.
std::string in_single_quotes(std::string_view text) {
    std::string out = "'";
    for (const char c : text) out += c == '\'' ? std::string("'\\''") : std::string(1, c);
    return out + "'";
}

bool is_top(const CommandEntry& command) {
    return command.name.find(' ') == std::string::npos;
}

std::vector<std::string> all_names(const OptionEntry& option) {
    std::vector<std::string> names;
    for (const std::string& name : option.short_names) names.push_back(fmt::format("-{}", name));
    for (const std::string& name : option.long_names) names.push_back(fmt::format("--{}", name));
    return names;
}

// ---- bash -----------------------------------------------------------------------------------------------------------

// The cases of the word before: what its value can be.
std::string bash_values(const CommandEntry& command) {
    std::string cases;
    for (const OptionEntry& option : command.options) {
        if (option.value_name.empty()) continue;
        std::string reply = "return";
        if (!option.choices.empty() && option.takes_file) {
            reply =
                fmt::format("COMPREPLY=($(compgen -f -W '{}' -- \"$word\")); compopt -o filenames 2>/dev/null; return",
                            joined(option.choices));
        } else if (!option.choices.empty()) {
            reply = fmt::format("COMPREPLY=($(compgen -W '{}' -- \"$word\")); return", joined(option.choices));
        } else if (option.takes_file) {
            reply = "COMPREPLY=($(compgen -f -- \"$word\")); compopt -o filenames 2>/dev/null; return";
        }
        cases += fmt::format("                {}) {} ;;\n", joined(all_names(option), "|"), reply);
    }
    return cases.empty() ? cases : fmt::format("            case $before in\n{}            esac\n", cases);
}

std::string bash_command(const CommandEntry& command) {
    std::vector<std::string> options;
    std::vector<std::string> values = command.commands;
    bool files = false;
    for (const OptionEntry& option : command.options) {
        for (const std::string& name : all_names(option)) options.push_back(name);
    }
    for (const OptionEntry& argument : command.arguments) {
        values.insert(values.end(), argument.choices.begin(), argument.choices.end());
        files = files || argument.takes_file;
    }
    std::string text = fmt::format("        '{}')\n{}", command.name, bash_values(command));
    text += fmt::format("            options='{}'\n            values='{}'\n", joined(options), joined(values));
    return text + (files ? "            files=yes\n" : "") + "            ;;\n";
}

// ---- zsh ------------------------------------------------------------------------------------------------------------

std::string zsh_value(const OptionEntry& option) {
    if (option.value_name.empty()) return {};
    std::string action = " ";
    if (!option.choices.empty() && option.takes_file) {
        action = fmt::format("{{_alternative \"names:name:({})\" \"files:file:_files\"}}", joined(option.choices));
    } else if (!option.choices.empty()) {
        action = fmt::format("({})", joined(option.choices));
    } else if (option.takes_file) {
        action = "_files";
    }
    return fmt::format(":{}:{}", replaced(option.value_name, ":", "\\"), action);
}

std::string zsh_option(const OptionEntry& option, std::string_view indent) {
    // Brackets end a description; a colon ends a message.
    const std::string description = replaced(option.description, "[]:\\", "\\");
    std::string text;
    for (const std::string& name : all_names(option)) {
        const std::string spec =
            fmt::format("{}{}[{}]{}", option.repeatable ? "*" : "", name, description, zsh_value(option));
        text += fmt::format("{}{} \\\n", indent, in_single_quotes(spec));
    }
    return text;
}

std::string zsh_argument(const OptionEntry& argument, std::string_view indent) {
    const std::string action = argument.choices.empty() ? "_files" : fmt::format("({})", joined(argument.choices));
    const std::string spec = fmt::format("{}:{}:{}", argument.repeatable ? "*" : "", argument.value_name, action);
    return fmt::format("{}{} \\\n", indent, in_single_quotes(spec));
}

std::string zsh_command(const ProgramEntry& program, const CommandEntry& command, const std::string& indent) {
    const std::string inner = indent + "        ";
    std::string text = fmt::format("{}{})\n{}    _arguments {}\\\n", indent, last_name(command), indent,
                                   command.commands.empty() ? "" : "-C ");
    for (const OptionEntry& option : command.options) text += zsh_option(option, inner);
    for (const OptionEntry& argument : command.arguments) text += zsh_argument(argument, inner);
    if (command.commands.empty()) return text + inner + "&& return\n" + indent + "    ;;\n";
    const std::string first = fmt::format("1:command:({})", joined(command.commands));
    text += fmt::format("{}{} \\\n{}'*::argument:->below'\n", inner, in_single_quotes(first), inner);
    text += fmt::format("{}    [[ $state == below ]] && case $line[1] in\n", indent);
    for (const CommandEntry& below : program.commands) {
        if (below.name == command.name + " " + last_name(below)) text += zsh_command(program, below, inner);
    }
    return text + indent + "    esac\n" + indent + "    ;;\n";
}

// ---- fish -----------------------------------------------------------------------------------------------------------

std::string fish_option(const OptionEntry& option, std::string_view condition) {
    std::string line = fmt::format("complete -c heapwright -n {}", in_single_quotes(condition));
    for (const std::string& name : option.short_names) line += fmt::format(" -s {}", name);
    for (const std::string& name : option.long_names) line += fmt::format(" -l {}", name);
    if (!option.value_name.empty()) line += option.takes_file ? " -r -F" : " -x";
    if (!option.choices.empty()) line += fmt::format(" -a {}", in_single_quotes(joined(option.choices)));
    return line + fmt::format(" -d {}\n", in_single_quotes(option.description));
}

// When the words of a command's name have been given.
std::string fish_within(const CommandEntry& command) {
    const auto space = command.name.find(' ');
    if (space == std::string::npos) return "__fish_seen_subcommand_from " + command.name;
    return fmt::format("__fish_seen_subcommand_from {}; and __fish_seen_subcommand_from {}",
                       command.name.substr(0, space), last_name(command));
}

// When a command itself can be given.
std::string fish_before(const ProgramEntry& program, const CommandEntry& command) {
    if (is_top(command)) return "__fish_use_subcommand";
    const std::string above = command.name.substr(0, command.name.rfind(' '));
    for (const CommandEntry& group : program.commands) {
        if (group.name != above) continue;
        return fmt::format("__fish_seen_subcommand_from {}; and not __fish_seen_subcommand_from {}", above,
                           joined(group.commands));
    }
    return "false";
}

}  // namespace

std::string bash_completion(const ProgramEntry& program) {
    std::vector<std::string> top;
    std::vector<std::string> known;
    std::vector<std::string> options;
    for (const CommandEntry& command : program.commands) {
        known.push_back(fmt::format("'{}'", command.name));
        if (is_top(command)) top.push_back(command.name);
    }
    for (const OptionEntry& option : program.options) {
        for (const std::string& name : all_names(option)) options.push_back(name);
    }
    std::string text = R"(# Completions of heapwright for bash, written from the program's own options.
_heapwright() {
    local word=${COMP_WORDS[COMP_CWORD]} before=${COMP_WORDS[COMP_CWORD - 1]}
    local command= index longer options= values= files=
    COMPREPLY=()
    for ((index = 1; index < COMP_CWORD; ++index)); do
        [[ ${COMP_WORDS[index]} != -* ]] || continue
        longer=${command:+$command }${COMP_WORDS[index]}
        case $longer in
)";
    text += fmt::format("            {}) command=$longer ;;\n            *) break ;;\n        esac\n    done\n",
                        joined(known, "|"));
    text += fmt::format("    case $command in\n        '')\n            options='{}'\n            values='{}'\n",
                        joined(options), joined(top));
    text += "            ;;\n";
    for (const CommandEntry& command : program.commands) text += bash_command(command);
    return text + R"(    esac
    if [[ $word == -* ]]; then
        COMPREPLY=($(compgen -W "$options" -- "$word"))
    else
        COMPREPLY=($(compgen -W "$values" -- "$word"))
        if [[ -n $files ]]; then
            COMPREPLY+=($(compgen -f -- "$word"))
            compopt -o filenames 2>/dev/null
        fi
    fi
}
complete -F _heapwright heapwright
)";
}

std::string zsh_completion(const ProgramEntry& program) {
    std::string text = R"(#compdef heapwright
# Completions of heapwright for zsh, written from the program's own options.

_heapwright() {
    local curcontext="$curcontext" state line
    typeset -A opt_args
    _arguments -C \
)";
    for (const OptionEntry& option : program.options) text += zsh_option(option, "        ");
    text += R"(        '1:command:->command' \
        '*::argument:->argument'
    case $state in
        command)
            local -a commands
            commands=(
)";
    for (const CommandEntry& command : program.commands) {
        if (!is_top(command)) continue;
        const std::string entry = fmt::format("{}:{}", command.name, replaced(command.description, ":", "\\"));
        text += fmt::format("                {}\n", in_single_quotes(entry));
    }
    text += R"(            )
            _describe command commands
            ;;
        argument)
            case $line[1] in
)";
    for (const CommandEntry& command : program.commands) {
        if (is_top(command)) text += zsh_command(program, command, "                ");
    }
    return text + "            esac\n            ;;\n    esac\n}\n\n_heapwright \"$@\"\n";
}

std::string fish_completion(const ProgramEntry& program) {
    std::string text = "# Completions of heapwright for fish, written from the program's own options.\n";
    text += "complete -c heapwright -f\n";
    for (const OptionEntry& option : program.options) text += fish_option(option, "__fish_use_subcommand");
    for (const CommandEntry& command : program.commands) {
        text +=
            fmt::format("complete -c heapwright -n {} -a {} -d {}\n", in_single_quotes(fish_before(program, command)),
                        last_name(command), in_single_quotes(command.description));
        const std::string condition = fish_within(command);
        for (const OptionEntry& option : command.options) text += fish_option(option, condition);
        for (const OptionEntry& argument : command.arguments) {
            text += fmt::format("complete -c heapwright -n {}", in_single_quotes(condition));
            text += argument.choices.empty() ? std::string(" -F\n")
                                             : fmt::format(" -a {}\n", in_single_quotes(joined(argument.choices)));
        }
    }
    return text;
}

}  // namespace heapwright::cli
