#include <CLI/CLI.hpp>

#include <memory>

#include "heapwright/cli/commands.hpp"
#include "heapwright/cli/output.hpp"
#include "heapwright/cli/pipeline.hpp"
#include "heapwright/core/file.hpp"
#include "heapwright/model/json.hpp"

namespace heapwright::cli {
namespace {

struct Options {
    std::string report_file;
    std::string workload = "general-engine";
    std::vector<std::string> selectors;
    OutputOptions output;
    bool text = false;
};

Result<model::Policy> advise(const Options& options) {
    HEAPWRIGHT_ASSIGN(const std::string text, read_file(options.report_file));
    HEAPWRIGHT_ASSIGN(const model::Report report, model::read_report(text, options.report_file));
    HEAPWRIGHT_ASSIGN(const model::Workload workload, load_workload(options.workload));
    return advise_stage(report, workload, options.selectors);
}

ExitCode run(const Options& options) {
    const auto policy = advise(options);
    if (!policy) return report_error(policy.error());
    const auto written = write_output(options.text ? summary(*policy) : model::write(*policy), options.output.file);
    return written ? ExitCode::kGood : report_error(written.error());
}

}  // namespace

void add_advise_command(CLI::App& program, ExitCode& exit_code) {
    CLI::App* command = program.add_subcommand("advise", "Computes an allocation policy from a report and a workload");
    auto options = std::make_shared<Options>();
    command->add_option("REPORT", options->report_file, "A report, as 'probe' writes it")->required();
    add_workload_option(*command, options->workload);
    command->add_option("-d,--device", options->selectors, "Only these devices of the report (repeatable)");
    add_output_options(*command, options->output);
    command->add_flag("--text", options->text, "A summary for people instead of JSON");
    command->callback([options, &exit_code] { exit_code = run(*options); });
}

}  // namespace heapwright::cli
