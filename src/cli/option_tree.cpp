#include "cli/option_tree.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <CLI/CLI.hpp>

#include <algorithm>

#include "export/export.hpp"
#include "heapwright/model/json.hpp"
#include "validate/validate.hpp"
#include "workload/read.hpp"

namespace heapwright::cli {
namespace {

template <class Names>
std::vector<std::string> texts(const Names& names) {
    return {names.begin(), names.end()};
}

// What CLI11 does not know of an option's values: those that this program checks itself.
std::vector<std::string> choices_of(const std::string& command, const std::string& name) {
    if (name == "api") return {"vulkan", "d3d12", "all"};
    if (name == "workload" || (command == "workload" && name == "show")) return texts(workload::preset_names());
    if (name == "scenario") return texts(validate::scenario_names());
    if (command == "schema" && name == "NAME") return texts(model::schema_names());
    if (command == "export" && name == "target") {
        std::vector<std::string> names;
        for (const exporting::TargetSummary& target : exporting::targets()) names.emplace_back(target.name);
        return names;
    }
    return {};
}

// "TEXT:{text,json}" -> text, json.
std::vector<std::string> listed_choices(const std::string& type) {
    std::vector<std::string> choices;
    const auto open = type.find('{');
    const auto close = type.find('}');
    if (open == std::string::npos || close == std::string::npos || close < open) return choices;
    std::string word;
    for (const char c : type.substr(open + 1, close - open - 1) + ",") {
        if (c != ',') {
            word += c;
        } else {
            choices.push_back(std::move(word));
            word.clear();
        }
    }
    return choices;
}

bool is_a_file(const OptionEntry& option) {
    // A preset's name or a file.
    const auto named = [&option](std::string_view name) {
        return std::find(option.long_names.begin(), option.long_names.end(), name) != option.long_names.end();
    };
    if (named("output") || named("icd") || named("workload")) return true;
    const std::string& value = option.value_name;
    return option.choices.empty() && (value == "FILE" || value == "PATH" || value == "DIR" || value == "FOLDER");
}

OptionEntry entry_of(const CLI::Option& option, const std::string& command) {
    OptionEntry entry;
    entry.short_names = option.get_snames();
    entry.long_names = option.get_lnames();
    entry.description = option.get_description();
    entry.by_default = option.get_default_str();
    entry.required = option.get_required();
    entry.repeatable = option.get_expected_max() > 1;
    const bool positional = option.get_positional();
    const std::string name = !entry.long_names.empty()    ? entry.long_names.front()
                             : !entry.short_names.empty() ? entry.short_names.front()
                                                          : option.get_name(true, false);
    entry.choices = choices_of(command, name);
    if (positional) {
        entry.value_name = name;
        // What this program's commands take without a name are files, unless the values are known.
        entry.takes_file = entry.choices.empty();
        return entry;
    }
    if (option.get_items_expected_max() != 0) {
        if (entry.choices.empty()) entry.choices = listed_choices(option.get_type_name());
        // Of CLI11's names for types ("TEXT ...", "FLOAT:POSITIVE", "SIZE [b, kb, ...]") the first word tells enough.
        const std::string type = option.get_type_name();
        entry.value_name = type.substr(0, type.find_first_of(" :["));
        if (entry.value_name.empty()) entry.value_name = "VALUE";
    }
    entry.takes_file = !entry.value_name.empty() && is_a_file(entry);
    return entry;
}

bool is_hidden(const CLI::App& command) {
    // A hidden command is in no group.
    return command.get_group().empty();
}

void add_command(const CLI::App& command, const std::string& above, std::vector<CommandEntry>& commands) {
    CommandEntry entry;
    entry.name = above.empty() ? command.get_name() : above + " " + command.get_name();
    entry.description = command.get_description();
    std::vector<const CLI::App*> below;
    const auto add_options = [&](const CLI::App& of) {
        for (const CLI::Option* option : of.get_options()) {
            // So is a hidden option.
            if (option->get_group().empty()) continue;
            auto& list = option->get_positional() ? entry.arguments : entry.options;
            list.push_back(entry_of(*option, entry.name));
        }
    };
    add_options(command);
    for (const CLI::App* inner : command.get_subcommands(nullptr)) {
        // A group of options is a command without a name.
        if (inner->get_name().empty()) {
            add_options(*inner);
        } else {
            below.push_back(inner);
        }
    }
    for (const CLI::App* inner : below) {
        if (!is_hidden(*inner)) entry.commands.push_back(inner->get_name());
    }
    const std::string name = entry.name;
    commands.push_back(std::move(entry));
    for (const CLI::App* inner : below) {
        if (!is_hidden(*inner)) add_command(*inner, name, commands);
    }
}

}  // namespace

ProgramEntry option_tree(const CLI::App& program) {
    ProgramEntry tree;
    tree.name = program.get_name();
    tree.description = program.get_description();
    tree.footer = program.get_footer();
    for (const CLI::Option* option : program.get_options()) tree.options.push_back(entry_of(*option, {}));
    for (const CLI::App* command : program.get_subcommands(nullptr)) {
        if (!is_hidden(*command)) add_command(*command, {}, tree.commands);
    }
    return tree;
}

std::string joined(const std::vector<std::string>& words, std::string_view separator) {
    return fmt::format("{}", fmt::join(words, separator));
}

std::string last_name(const CommandEntry& command) {
    return command.name.substr(command.name.rfind(' ') + 1);
}

namespace {

// Text that roff takes as it is: no escape, no request at a line's start, dashes that stay dashes.
std::string safe(std::string_view text) {
    std::string out;
    bool at_start = true;
    for (const char c : text) {
        if (at_start && (c == '.' || c == '\'')) out += "\\&";
        switch (c) {
            case '\\': out += "\\e"; break;
            case '-': out += "\\-"; break;
            default: out += c;
        }
        at_start = c == '\n';
    }
    return out;
}

std::string bold(std::string_view text) {
    return fmt::format("\\fB{}\\fR", safe(text));
}

std::string italic(std::string_view text) {
    return fmt::format("\\fI{}\\fR", safe(text));
}

std::string option_text(const OptionEntry& option) {
    std::vector<std::string> names;
    for (const std::string& name : option.short_names) names.push_back(bold("-" + name));
    for (const std::string& name : option.long_names) names.push_back(bold("--" + name));
    std::string text = fmt::format(".TP\n{}", joined(names, ", "));
    if (!option.value_name.empty()) text += fmt::format(" {}", italic(option.value_name));
    text += fmt::format("\n{}", safe(option.description));
    if (!option.choices.empty() && option.description.find(option.choices.front()) == std::string::npos) {
        text += fmt::format("\n{}", safe(fmt::format("One of {}.", joined(option.choices, ", "))));
    }
    if (!option.by_default.empty()) text += fmt::format("\n{}", safe(fmt::format("Default: {}.", option.by_default)));
    return text + "\n";
}

std::string argument_text(const OptionEntry& argument) {
    std::string name = italic(argument.value_name);
    if (argument.repeatable) name += " ...";
    return argument.required ? name : fmt::format("[{}]", name);
}

std::string command_text(const CommandEntry& command) {
    std::string text = fmt::format(".SS {}\n.B heapwright {}\n", safe(command.name), safe(command.name));
    if (!command.options.empty()) text += "[\\fIoption\\fR ...]\n";
    for (const OptionEntry& argument : command.arguments) text += argument_text(argument) + "\n";
    if (!command.commands.empty()) text += fmt::format("{}\n", italic(joined(command.commands, "|")));
    text += fmt::format(".PP\n{}.\n", safe(command.description));
    for (const OptionEntry& argument : command.arguments) {
        text += fmt::format(".TP\n{}\n{}\n", italic(argument.value_name), safe(argument.description));
    }
    for (const OptionEntry& option : command.options) text += option_text(option);
    return text;
}

constexpr std::string_view kFiles = R"(.SH FILES
Documents are JSON; the schema of each is printed by
.BR "heapwright schema" .
A report says what a driver answered, a policy what to do about it, a validation what came of doing so.
.SH EXAMPLES
Probe every device, compute a policy and prove it, all at once:
.PP
.RS
.nf
heapwright run \-o results
.fi
.RE
.PP
Step by step, for one device:
.PP
.RS
.nf
heapwright probe \-d 0 \-o report.json
heapwright advise report.json \-o policy.json
heapwright validate policy.json
heapwright export policy.json \-\-target vma \-o heapwright_policy.h
.fi
.RE
.SH SEE ALSO
.BR vulkaninfo (1)
)";

}  // namespace

std::string manual_page(const ProgramEntry& program, std::string_view version, std::string_view date) {
    std::string text = ".\\\" Written from the program's own options.\n";
    text += fmt::format(".TH HEAPWRIGHT 1 {} \"heapwright {}\" \"User Commands\"\n", date, safe(version));
    text += ".SH NAME\nheapwright \\- GPU capability probe and allocation\\-policy advisor\n";
    text += ".SH SYNOPSIS\n.B heapwright\n\\fIcommand\\fR\n[\\fIoption\\fR ...]\n[\\fIfile\\fR ...]\n";
    text += fmt::format(".SH DESCRIPTION\n{}\n", safe(program.description));
    text += ".SH OPTIONS\n";
    for (const OptionEntry& option : program.options) text += option_text(option);
    text += ".SH COMMANDS\n";
    for (const CommandEntry& command : program.commands) text += command_text(command);
    text += ".SH EXIT STATUS AND ENVIRONMENT\n";
    for (std::size_t start = 0; start < program.footer.size();) {
        const std::size_t end = program.footer.find('\n', start);
        const std::size_t length = end == std::string::npos ? std::string::npos : end - start;
        if (start != 0) text += ".PP\n";
        text += safe(program.footer.substr(start, length)) + "\n";
        start = end == std::string::npos ? program.footer.size() : end + 1;
    }
    return text + std::string(kFiles);
}

}  // namespace heapwright::cli
