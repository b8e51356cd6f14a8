#include <CLI/CLI.hpp>

#include <algorithm>
#include <memory>
#include <string>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "heapwright/cli/answer.hpp"
#include "heapwright/cli/commands.hpp"
#include "heapwright/cli/output.hpp"
#include "heapwright/model/json.hpp"

namespace heapwright::cli {
namespace {

using Json = nlohmann::ordered_json;

std::string type_of(const Json& member) {
    if (member.contains("type") && member.at("type").is_string()) return member.at("type").get<std::string>();
    if (member.contains("enum")) return "one word of a list";
    return "object";
}

// The members of the document, or where it is a list of devices those of one device, a line each.
std::string members_of(const std::string& name, const std::string& schema) {
    const Json document = Json::parse(schema);
    const Json* members = &document.at("properties");
    std::string text = fmt::format("A {} is a JSON object with these members:\n", name);
    if (members->contains("devices")) {
        const auto reference = members->at("devices").at("items").value("$ref", std::string());
        const std::string definition = reference.substr(reference.rfind('/') + 1);
        if (document.at("definitions").contains(definition)) {
            members = &document.at("definitions").at(definition).at("properties");
            text = fmt::format("A {} is a JSON object; each of its \"devices\" has these members:\n", name);
        }
    }
    constexpr std::size_t kMembers = 20;
    constexpr std::size_t kWords = 66;  // of a description, on one line of a screen
    std::size_t shown = 0;
    for (const auto& [member, described] : members->items()) {
        if (shown++ == kMembers) break;
        const std::string words = described.value("description", type_of(described));
        text += fmt::format("  {:<30}{}\n", member, words.substr(0, words.find(". ")).substr(0, kWords));
    }
    if (members->size() > kMembers) text += fmt::format("  and {} more\n", members->size() - kMembers);
    return text + "The whole JSON Schema: --json\n";
}

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
        const auto document = [&] { return *schema; };
        const Answer answer{.document = document,
                            .screen = [&](const render::ScreenStyle&) { return members_of(*name, *schema); },
                            .all = document};
        if (const auto written = give(answer, *output); !written) exit_code = report_error(written.error());
    });
}

}  // namespace heapwright::cli
