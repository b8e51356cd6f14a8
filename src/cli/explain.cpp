#include <fmt/format.h>
#include <CLI/CLI.hpp>

#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "cli/batch.hpp"
#include "cli/commands.hpp"
#include "cli/input.hpp"
#include "cli/output.hpp"
#include "core/text.hpp"
#include "heapwright/model/json.hpp"
#include "heapwright_generated/version.hpp"
#include "model/printable.hpp"
#include "render/explain.hpp"

namespace heapwright::cli {
namespace {

// One screen of the numbers that most people ask for, unless more is asked for.
Result<std::string> explain(const Input& input, render::ExplainOptions options, const OutputOptions& output) {
    options.main = options.why.empty() && !options.all && !output.json && !output.verbose;
    HEAPWRIGHT_ASSIGN(const model::Policy policy, model::read_policy(input.text, input.name));
    if (output.json) return render::explanation_document(policy, options);
    const render::Explained explained = render::explain(model::printable(policy), options);
    if (options.why.empty() || explained.numbers != 0) return printable_lines(explained.text);
    return fail(ErrorCode::kInvalidArgument, fmt::format("the policy has no number of the name \"{}\"", options.why),
                "--why");
}

ExitCode explain_all(const std::vector<std::string>& files, const render::ExplainOptions& options,
                     const OutputOptions& output) {
    return run_batch(
        {.inputs = files,
         .done = "explained",
         .ending = output.json ? ".explanation.json" : ".explanation.txt",
         .recipe = fmt::format("heapwright {} explain{}{}{}{}", kVersion, output.json ? " json" : "",
                               options.all ? " all" : "", output.verbose ? " verbose" : "",
                               options.why.empty() ? "" : " why " + options.why),
         .takes = model::DocumentKind::kPolicy,
         .make = [&](const std::string& text, const std::string& name) -> Result<std::vector<BatchResult>> {
             HEAPWRIGHT_ASSIGN(std::string told, explain({.text = text, .name = name}, options, output));
             return std::vector<BatchResult>{{.text = std::move(told)}};
         }},
        output);
}

ExitCode explain_one(const std::string& file, const render::ExplainOptions& options, const OutputOptions& output) {
    const auto input = read_input(file);
    if (!input) return report_error(input.error());
    const auto text = explain(*input, options, output);
    if (!text) return report_error(text.error());
    const auto written = write_output(*text, output.file);
    return written ? ExitCode::kGood : report_error(written.error());
}

}  // namespace

void add_explain_command(CLI::App& program, ExitCode& exit_code) {
    CLI::App* command = program.add_subcommand("explain", "Says of every number in a policy where it comes from");
    auto files = std::make_shared<std::vector<std::string>>();
    auto wanted = std::make_shared<render::ExplainOptions>();
    auto output = std::make_shared<OutputOptions>();
    command
        ->add_option("POLICY", *files,
                     "A policy, as 'advise' writes it. Of several, or of a folder's, -o names the folder of the "
                     "explanations, texts or with --json documents, whose batch.json tells what became of each")
        ->required();
    command->add_option("--why", wanted->why, "All about the numbers of this name or place, such as chunk_size");
    command->add_flag("--all", wanted->all, "Of every number the whole reason, its inputs and what lost");
    add_output_options(*command, *output, true);
    add_answer_options(*command, *output);
    command->callback([=, &exit_code] {
        exit_code =
            is_batch(*files) ? explain_all(*files, *wanted, *output) : explain_one(files->front(), *wanted, *output);
    });
}

}  // namespace heapwright::cli
