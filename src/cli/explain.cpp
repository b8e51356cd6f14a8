#include <CLI/CLI.hpp>

#include <memory>

#include "heapwright/cli/commands.hpp"
#include "heapwright/cli/input.hpp"
#include "heapwright/cli/output.hpp"
#include "heapwright/model/json.hpp"
#include "heapwright/render/explain.hpp"

namespace heapwright::cli {
namespace {

Result<std::string> explain(const std::string& file) {
    HEAPWRIGHT_ASSIGN(const Input input, read_input(file));
    HEAPWRIGHT_ASSIGN(const model::Policy policy, model::read_policy(input.text, input.name));
    return render::explain(policy);
}

}  // namespace

void add_explain_command(CLI::App& program, ExitCode& exit_code) {
    CLI::App* command = program.add_subcommand("explain", "Says of every number in a policy where it comes from");
    auto file = std::make_shared<std::string>();
    auto output = std::make_shared<OutputOptions>();
    command->add_option("POLICY", *file, "A policy, as 'advise' writes it")->required();
    add_output_options(*command, *output);
    command->callback([=, &exit_code] {
        const auto text = explain(*file);
        if (!text) {
            exit_code = report_error(text.error());
            return;
        }
        if (const auto written = write_output(*text, output->file); !written) exit_code = report_error(written.error());
    });
}

}  // namespace heapwright::cli
