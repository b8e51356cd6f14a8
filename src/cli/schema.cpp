#include <CLI/CLI.hpp>

#include <algorithm>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "cli/commands.hpp"
#include "cli/output.hpp"
#include "heapwright/model/json.hpp"
#include "render/overview.hpp"

namespace heapwright::cli {
namespace {

using Json = nlohmann::ordered_json;

constexpr std::size_t kLargestIndent = 34;  // of a member's words

// The first clause, where all of it is too long for a line; else as many words as the line has room for.
std::string on_one_line(std::string_view words, std::size_t width) {
    if (words.size() <= width) return std::string(words);
    for (const std::string_view end : {". ", "; "}) {
        const std::size_t at = words.find(end);
        if (at != std::string_view::npos && at <= width) return std::string(words.substr(0, at));
    }
    const std::size_t space = words.rfind(' ', width - 3);
    return std::string(words.substr(0, space == std::string_view::npos ? width - 3 : space)) + "...";
}

// Lines of at most kScreenColumns; those after the first begin with `indent` spaces.
std::string wrapped(std::string_view line, std::size_t indent) {
    std::string text;
    std::size_t width = render::kScreenColumns;
    while (line.size() > width) {
        std::size_t space = line.rfind(' ', width);
        if (space == std::string_view::npos || space < (text.empty() ? indent : 0)) space = line.find(' ', width);
        if (space == std::string_view::npos) break;
        text += fmt::format("{}\n{}", line.substr(0, space), std::string(indent, ' '));
        line.remove_prefix(space + 1);
        width = render::kScreenColumns - indent;
    }
    return fmt::format("{}{}\n", text, line);
}

// The members of a document's structs in words, from its schema.
class MemberList {
public:
    explicit MemberList(std::string name, const std::string& schema)
        : name_(std::move(name)), document_(Json::parse(schema)), definitions_(document_.at("definitions")) {}

    // The members of the document, or where it is a list of devices those of one device, a line each: one screen.
    [[nodiscard]] std::string screen() const {
        const Json* members = &document_.at("properties");
        std::string holder = fmt::format("A {} is", name_);
        if (members->contains("devices")) {
            members = &definition_of(members->at("devices")).at("properties");
            holder = fmt::format("Each of a {}'s \"devices\" is", name_);
        }
        std::string text = wrapped(document_.at("description").get<std::string>() + ".", 0);
        text += fmt::format("{} a JSON object with these members:\n", holder);
        constexpr std::size_t kMembers = 18;
        const std::size_t indent = indent_of(*members);
        std::size_t shown = 0;
        for (const auto& [key, member] : members->items()) {
            if (shown++ == kMembers) break;
            text += fmt::format("  {:<{}} {}\n", key, indent - 3,
                                on_one_line(words_of(member), render::kScreenColumns - indent));
        }
        if (members->size() > kMembers) text += fmt::format("  and {} more\n", members->size() - kMembers);
        return text + "Every member of every part: -v; the whole JSON Schema: --json\n";
    }

    // Every member of every struct, with what it holds.
    [[nodiscard]] std::string all() const {
        std::string text = wrapped(document_.at("description").get<std::string>() + ".", 0);
        text += "Sizes are in bytes and times in nanoseconds where a name does not say otherwise.\n";
        add_struct(name_, document_, text);
        for (const auto& [name, definition] : definitions_.items()) {
            if (definition.contains("properties")) add_struct(name, definition, text);
        }
        return text;
    }

private:
    static std::size_t indent_of(const Json& members) {
        std::size_t longest = 0;
        for (const auto& [key, member] : members.items()) longest = std::max(longest, key.size());
        return std::min(longest + 4, kLargestIndent);
    }

    [[nodiscard]] const Json& definition_of(const Json& member) const {
        const Json& items = member.contains("items") ? member.at("items") : member;
        const Json& one = items.contains("allOf") ? items.at("allOf").at(0) : items;
        const auto reference = one.at("$ref").get<std::string>();
        return definitions_.at(reference.substr(reference.rfind('/') + 1));
    }

    [[nodiscard]] std::string words_of(const Json& member) const {
        return member.value("description", type_of(member));
    }

    void add_struct(const std::string& name, const Json& definition, std::string& text) const {
        text += fmt::format("\n{}\n", name);
        const Json required = definition.value("required", Json::array());
        const Json& members = definition.at("properties");
        const std::size_t indent = indent_of(members);
        for (const auto& [key, member] : members.items()) {
            const bool may_lack = std::ranges::find(required, Json(key)) == required.end();
            std::string line = fmt::format("  {:<{}} ", key, indent - 3);
            if (member.contains("description")) line += member.at("description").get<std::string>() + " ";
            line += fmt::format("({}{})", type_of(member), may_lack ? ", may be left out" : "");
            text += wrapped(line, indent);
        }
    }

    // "list of bucket_policy", "one of kept, broken", "whole number".
    [[nodiscard]] std::string type_of(const Json& member) const {
        if (member.contains("allOf")) return type_of(member.at("allOf").at(0));
        if (member.contains("anyOf")) return type_of(member.at("anyOf").at(0));
        if (member.contains("$ref")) {
            const auto reference = member.at("$ref").get<std::string>();
            const std::string name = reference.substr(reference.rfind('/') + 1);
            const Json& definition = definitions_.at(name);
            return definition.contains("properties") ? name : type_of(definition);
        }
        if (member.contains("enum")) return choice_of(member.at("enum"));
        const std::string type = member.value("type", "");
        if (type == "array") {
            const Json& items = member.at("items");
            return "list of " + (items.is_array() ? std::string("whole numbers") : type_of(items));
        }
        if (type == "object" && member.contains("properties")) {
            const Json& members = member.at("properties");
            if (members.contains("value") && members.contains("reason"))
                return "decision: " + type_of(members.at("value"));
        }
        if (type == "integer") return "whole number";
        if (type == "string") return "text";
        if (type == "boolean") return "true or false";
        return type;
    }

    static std::string choice_of(const Json& values) {
        constexpr std::size_t kShown = 8;
        if (values.size() == 1)
            return values.front().is_string() ? values.front().get<std::string>() : values.front().dump();
        if (values.front().is_number() && values.size() > kShown) return "power of two";
        if (values.size() > kShown) return "name";
        std::string text = "one of ";
        for (std::size_t index = 0; index < values.size(); ++index) {
            text += fmt::format("{}{}", index == 0 ? "" : ", ",
                                values[index].is_string() ? values[index].get<std::string>() : values[index].dump());
        }
        return text;
    }

    std::string name_;
    Json document_;
    const Json& definitions_;
};

}  // namespace

void add_schema_command(CLI::App& program, ExitCode& exit_code) {
    CLI::App* command = program.add_subcommand("schema", "Prints the JSON Schema of a document");
    auto name = std::make_shared<std::string>();
    auto output = std::make_shared<OutputOptions>();
    std::string known;
    for (const auto entry : model::schema_names()) known += (known.empty() ? "" : ", ") + std::string(entry);
    command->add_option("NAME", *name, "One of " + known)->required();
    add_output_options(*command, *output);
    add_answer_options(*command, *output);
    command->callback([=, &exit_code] {
        const auto schema = model::schema(*name);
        if (!schema) {
            exit_code = report_error(schema.error());
            return;
        }
        const Answer answer{.document = [&] { return *schema; },
                            .screen = [&](const render::ScreenStyle&) { return MemberList(*name, *schema).screen(); },
                            .all = [&] { return MemberList(*name, *schema).all(); }};
        if (const auto written = give(answer, *output); !written) exit_code = report_error(written.error());
    });
}

}  // namespace heapwright::cli
