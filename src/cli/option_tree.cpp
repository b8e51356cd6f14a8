#include "heapwright/cli/option_tree.hpp"

#include <CLI/CLI.hpp>

#include <algorithm>

#include "heapwright/export/export.hpp"
#include "heapwright/model/json.hpp"
#include "heapwright/validate/validate.hpp"
#include "heapwright/workload/presets.hpp"

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
    std::string text;
    for (const std::string& word : words) {
        if (!text.empty()) text += separator;
        text += word;
    }
    return text;
}

std::string last_name(const CommandEntry& command) {
    return command.name.substr(command.name.rfind(' ') + 1);
}

}  // namespace heapwright::cli
