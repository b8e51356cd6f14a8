#include "heapwright/cli/shell_completion.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

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

std::vector<std::string> all_names(const OptionEntry& option) {
    std::vector<std::string> names;
    for (const std::string& name : option.short_names) names.push_back("-" + name);
    for (const std::string& name : option.long_names) names.push_back("--" + name);
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
                            fmt::join(option.choices, " "));
        } else if (!option.choices.empty()) {
            reply = fmt::format("COMPREPLY=($(compgen -W '{}' -- \"$word\")); return", fmt::join(option.choices, " "));
        } else if (option.takes_file) {
            reply = "COMPREPLY=($(compgen -f -- \"$word\")); compopt -o filenames 2>/dev/null; return";
        }
        cases += fmt::format("                {}) {} ;;\n", fmt::join(all_names(option), "|"), reply);
    }
    return cases.empty() ? cases : "            case $before in\n" + cases + "            esac\n";
}

std::string bash_command(const CommandEntry& command) {
    std::vector<std::string> options;
    std::vector<std::string> values;
    bool files = false;
    for (const OptionEntry& option : command.options) {
        for (const std::string& name : all_names(option)) options.push_back(name);
    }
    for (const OptionEntry& argument : command.arguments) {
        values.insert(values.end(), argument.choices.begin(), argument.choices.end());
        files = files || argument.takes_file;
    }
    std::string text = fmt::format("        {})\n{}", command.name, bash_values(command));
    text += fmt::format("            options='{}'\n            values='{}'\n", fmt::join(options, " "),
                        fmt::join(values, " "));
    return text + (files ? "            files=yes\n" : "") + "            ;;\n";
}

// ---- zsh ------------------------------------------------------------------------------------------------------------

std::string zsh_value(const OptionEntry& option) {
    if (option.value_name.empty()) return {};
    std::string action = " ";
    if (!option.choices.empty() && option.takes_file) {
        action =
            fmt::format("{{_alternative \"names:name:({})\" \"files:file:_files\"}}", fmt::join(option.choices, " "));
    } else if (!option.choices.empty()) {
        action = fmt::format("({})", fmt::join(option.choices, " "));
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
    const std::string action =
        argument.choices.empty() ? "_files" : fmt::format("({})", fmt::join(argument.choices, " "));
    const std::string spec = fmt::format("{}:{}:{}", argument.repeatable ? "*" : "", argument.value_name, action);
    return fmt::format("{}{} \\\n", indent, in_single_quotes(spec));
}

// ---- fish -----------------------------------------------------------------------------------------------------------

std::string fish_option(const OptionEntry& option, std::string_view condition) {
    std::string line = fmt::format("complete -c heapwright -n {}", in_single_quotes(condition));
    for (const std::string& name : option.short_names) line += fmt::format(" -s {}", name);
    for (const std::string& name : option.long_names) line += fmt::format(" -l {}", name);
    if (!option.value_name.empty()) line += option.takes_file ? " -r -F" : " -x";
    if (!option.choices.empty())
        line += fmt::format(" -a {}", in_single_quotes(fmt::format("{}", fmt::join(option.choices, " "))));
    return line + fmt::format(" -d {}\n", in_single_quotes(option.description));
}

}  // namespace

std::string bash_completion(const ProgramEntry& program) {
    std::vector<std::string> commands;
    std::vector<std::string> options;
    for (const CommandEntry& command : program.commands) commands.push_back(command.name);
    for (const OptionEntry& option : program.options) {
        for (const std::string& name : all_names(option)) options.push_back(name);
    }
    std::string text = "# Completions of heapwright for bash, written from the program's own options.\n";
    text += "_heapwright() {\n    local word=${COMP_WORDS[COMP_CWORD]} before=${COMP_WORDS[COMP_CWORD - 1]}\n";
    text += "    local command= index options= values= files=\n    COMPREPLY=()\n";
    text +=
        "    for ((index = 1; index < COMP_CWORD; ++index)); do\n        case ${COMP_WORDS[index]} in\n            -*) "
        ";;\n";
    text += "            *) command=${COMP_WORDS[index]}; break ;;\n        esac\n    done\n    case $command in\n";
    text += fmt::format("        '')\n            options='{}'\n            values='{}'\n            ;;\n",
                        fmt::join(options, " "), fmt::join(commands, " "));
    for (const CommandEntry& command : program.commands) text += bash_command(command);
    text += "    esac\n    if [[ $word == -* ]]; then\n        COMPREPLY=($(compgen -W \"$options\" -- \"$word\"))\n";
    text += "    else\n        COMPREPLY=($(compgen -W \"$values\" -- \"$word\"))\n        if [[ -n $files ]]; then\n";
    text += "            COMPREPLY+=($(compgen -f -- \"$word\"))\n            compopt -o filenames 2>/dev/null\n";
    return text + "        fi\n    fi\n}\ncomplete -F _heapwright heapwright\n";
}

std::string zsh_completion(const ProgramEntry& program) {
    std::string text =
        "#compdef heapwright\n# Completions of heapwright for zsh, written from the program's own options.\n\n";
    text += "_heapwright() {\n    local curcontext=\"$curcontext\" state line\n    typeset -A opt_args\n";
    text += "    _arguments -C \\\n";
    for (const OptionEntry& option : program.options) text += zsh_option(option, "        ");
    text +=
        "        '1:command:->command' \\\n        '*::argument:->argument'\n    case $state in\n        command)\n";
    text += "            local -a commands\n            commands=(\n";
    for (const CommandEntry& command : program.commands) {
        text +=
            fmt::format("                {}\n",
                        in_single_quotes(fmt::format("{}:{}", command.name, replaced(command.description, ":", "\\"))));
    }
    text +=
        "            )\n            _describe command commands\n            ;;\n        argument)\n            case "
        "$line[1] in\n";
    for (const CommandEntry& command : program.commands) {
        text += fmt::format("                {})\n                    _arguments \\\n", command.name);
        for (const OptionEntry& option : command.options) text += zsh_option(option, "                        ");
        for (const OptionEntry& argument : command.arguments)
            text += zsh_argument(argument, "                        ");
        text += "                        && return\n                    ;;\n";
    }
    return text + "            esac\n            ;;\n    esac\n}\n\n_heapwright \"$@\"\n";
}

std::string fish_completion(const ProgramEntry& program) {
    std::string text = "# Completions of heapwright for fish, written from the program's own options.\n";
    text += "complete -c heapwright -f\n";
    for (const OptionEntry& option : program.options) text += fish_option(option, "__fish_use_subcommand");
    for (const CommandEntry& command : program.commands) {
        text += fmt::format("complete -c heapwright -n '__fish_use_subcommand' -a {} -d {}\n", command.name,
                            in_single_quotes(command.description));
        const std::string condition = fmt::format("__fish_seen_subcommand_from {}", command.name);
        for (const OptionEntry& option : command.options) text += fish_option(option, condition);
        for (const OptionEntry& argument : command.arguments) {
            text += fmt::format("complete -c heapwright -n {}", in_single_quotes(condition));
            text +=
                argument.choices.empty()
                    ? std::string(" -F\n")
                    : fmt::format(" -a {}\n", in_single_quotes(fmt::format("{}", fmt::join(argument.choices, " "))));
        }
    }
    return text;
}

}  // namespace heapwright::cli
