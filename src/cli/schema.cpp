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

constexpr std::size_t kWords = 76;  // of a description, on one line of a screen

// The document's members, a line each.
std::string members_of(const std::string& name, const std::string& schema) {
    const auto document = nlohmann::ordered_json::parse(schema);
    std::string text = fmt::format("A {} is a JSON object. Its members:\n", name);
    for (const auto& [member, described] : document.at("properties").items()) {
        const std::string words = described.value("description", std::string());
        text += fmt::format("  {:<20}{}\n", member, words.substr(0, words.find(". ")).substr(0, kWords));
    }
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
