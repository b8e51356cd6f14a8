#include <fmt/format.h>
#include <CLI/CLI.hpp>

#include <memory>

#include "heapwright/cli/commands.hpp"
#include "heapwright/cli/input.hpp"
#include "heapwright/cli/output.hpp"
#include "heapwright/cli/pipeline.hpp"
#include "heapwright/model/json.hpp"
#include "heapwright/policy/demand.hpp"

namespace heapwright::cli {
namespace {

struct AdviseOptions {
    std::string report_file;
    std::string workload = "general-engine";
    std::vector<std::string> selectors;
    OutputOptions output;
    bool text = false;
};

// A warning asks for a probe by the workload's name; whoever reads it here has a file or a preset in hand.
void name_workload(model::Policy& policy, const std::string& name, const std::string& argument) {
    const std::string by_name = policy::probe_command(name);
    const std::string by_argument = policy::probe_command(argument);
    for (model::DevicePolicy& device : policy.devices) {
        for (std::string& warning : device.warnings) {
            if (!warning.ends_with(by_name)) continue;
            warning.replace(warning.size() - by_name.size(), by_name.size(), by_argument);
        }
    }
}

// The requests for a probe, on standard error.
void ask_for_probe(const model::Policy& policy, const std::string& argument, const OutputOptions& output) {
    const std::string command = policy::probe_command(argument);
    for (const model::DevicePolicy& device : policy.devices) {
        for (const std::string& warning : device.warnings) {
            if (warning.ends_with(command)) print_note(fmt::format("{}: {}", device.identity.name, warning), output);
        }
    }
}

Result<model::Policy> advise(const AdviseOptions& options) {
    HEAPWRIGHT_ASSIGN(const Input input, read_input(options.report_file));
    HEAPWRIGHT_ASSIGN(const model::Report report, model::read_report(input.text, input.name));
    HEAPWRIGHT_ASSIGN(const model::Workload workload, load_workload(options.workload));
    HEAPWRIGHT_ASSIGN(model::Policy policy, advise_stage(report, workload, options.selectors));
    name_workload(policy, workload.name, options.workload);
    return policy;
}

ExitCode run(const AdviseOptions& options) {
    const auto policy = advise(options);
    if (!policy) return report_error(policy.error());
    ask_for_probe(*policy, options.workload, options.output);
    const auto written = write_output(options.text ? summary(*policy) : model::write(*policy), options.output.file);
    return written ? ExitCode::kGood : report_error(written.error());
}

}  // namespace

void add_advise_command(CLI::App& program, ExitCode& exit_code) {
    CLI::App* command = program.add_subcommand("advise", "Computes an allocation policy from a report and a workload");
    auto options = std::make_shared<AdviseOptions>();
    command->add_option("REPORT", options->report_file, "A report, as 'probe' writes it")->required();
    add_workload_option(*command, options->workload);
    command->add_option("-d,--device", options->selectors, "Only these devices of the report (repeatable)");
    add_output_options(*command, options->output);
    command->add_flag("--text", options->text, "A summary for people instead of JSON");
    command->callback([options, &exit_code] { exit_code = run(*options); });
}

}  // namespace heapwright::cli
