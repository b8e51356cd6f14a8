#include <fmt/format.h>
#include <CLI/CLI.hpp>

#include <memory>

#include "heapwright/cli/answer.hpp"
#include "heapwright/cli/commands.hpp"
#include "heapwright/cli/input.hpp"
#include "heapwright/cli/output.hpp"
#include "heapwright/model/json.hpp"
#include "heapwright/render/explain.hpp"

namespace heapwright::cli {
namespace {

// One screen of the numbers that most people ask for, unless more is asked for.
Result<std::string> explain(const std::string& file, const render::ExplainOptions& options,
                            const OutputOptions& output) {
    HEAPWRIGHT_ASSIGN(const Input input, read_input(file));
    HEAPWRIGHT_ASSIGN(const model::Policy policy, model::read_policy(input.text, input.name));
    if (output.json) return render::explanation_document(policy, options);
    if (options.why.empty() && !options.all && !output.verbose)
        return render::explain_at_a_glance(policy, screen_style(output));
    std::string text = render::explain(policy, options);
    if (options.why.empty() || text.find("\n  because ") != std::string::npos) return text;
    return fail(ErrorCode::kInvalidArgument, fmt::format("the policy has no number of the name \"{}\"", options.why),
                "--why");
}

}  // namespace

void add_explain_command(CLI::App& program, ExitCode& exit_code) {
    CLI::App* command = program.add_subcommand("explain", "Says of every number in a policy where it comes from");
    auto file = std::make_shared<std::string>();
    auto wanted = std::make_shared<render::ExplainOptions>();
    auto output = std::make_shared<OutputOptions>();
    command->add_option("POLICY", *file, "A policy, as 'advise' writes it")->required();
    command->add_option("--why", wanted->why, "All about the numbers of this name or place, such as chunk_size");
    command->add_flag("--all", wanted->all, "Of every number the whole reason, its inputs and what lost");
    add_output_options(*command, *output);
    add_answer_options(*command, *output);
    command->callback([=, &exit_code] {
        const auto text = explain(*file, *wanted, *output);
        if (!text) {
            exit_code = report_error(text.error());
            return;
        }
        if (const auto written = write_output(*text, output->file); !written) exit_code = report_error(written.error());
    });
}

}  // namespace heapwright::cli
