#include <CLI/CLI.hpp>

#include <memory>
#include <string>

#include "heapwright/cli/commands.hpp"
#include "heapwright/cli/output.hpp"
#include "heapwright/model/json.hpp"

namespace heapwright::cli {

void add_schema_command(CLI::App& program, ExitCode& exit_code) {
    CLI::App* command = program.add_subcommand("schema", "Prints the JSON Schema of a document");
    auto name = std::make_shared<std::string>();
    auto output = std::make_shared<OutputOptions>();
    std::string known;
    for (const auto entry : model::schema_names()) known += (known.empty() ? "" : ", ") + std::string(entry);
    command->add_option("NAME", *name, "One of " + known)->required();
    add_output_options(*command, *output);
    command->callback([=, &exit_code] {
        const auto schema = model::schema(*name);
        if (!schema) {
            exit_code = report_error(schema.error());
            return;
        }
        if (const auto written = write_output(*schema, output->file); !written)
            exit_code = report_error(written.error());
    });
}

}  // namespace heapwright::cli
