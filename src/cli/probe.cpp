#include <CLI/CLI.hpp>

#include <algorithm>
#include <memory>
#include <optional>

#include "cli/commands.hpp"
#include "cli/output.hpp"
#include "cli/pipeline.hpp"
#include "heapwright/model/json.hpp"

namespace heapwright::cli {
namespace {

struct ProbeOptions {
    isolate::DeviceChoice devices;
    isolate::ProbeRequest request;
    OutputOptions output;
    std::string workload;
    bool strict = false;
};

bool breaks_specification(const model::Report& report) {
    return std::any_of(report.devices.begin(), report.devices.end(), [](const model::DeviceReport& device) {
        return std::any_of(device.findings.begin(), device.findings.end(), [](const model::Finding& finding) {
            return finding.severity == model::FindingSeverity::kViolation;
        });
    });
}

ExitCode run(const ProbeOptions& options) {
    std::optional<model::Workload> workload;
    if (!options.workload.empty()) {
        auto loaded = load_workload(options.workload, options.output);
        if (!loaded) return report_error(loaded.error());
        workload = std::move(*loaded);
    }
    const auto probed = probe_stage(options.devices, options.request, workload ? &*workload : nullptr, options.output);
    if (!probed) return report_error(probed.error());
    const model::Report* const report = &probed->report;
    print_failures("not probed", report->failures, options.output);
    const auto written =
        give({.document = [&] { return model::write(*report); },
              .screen =
                  [&](const render::ScreenStyle& style) {
                      return render::overview(*report, style,
                                              next_command("heapwright advise ", " -o policy.json", options.output));
                  },
              .all = [&] { return summary(*report); }},
             options.output);
    if (!written) return report_error(written.error());
    if (options.strict && breaks_specification(*report)) return ExitCode::kFailed;
    return probed->faults ? ExitCode::kPartlyFailed : ExitCode::kGood;
}

}  // namespace

void add_probe_command(CLI::App& program, ExitCode& exit_code) {
    CLI::App* command = program.add_subcommand("probe", "Reads what the devices say of themselves into a report");
    auto options = std::make_shared<ProbeOptions>();
    add_api_option(*command, options->devices.apis);
    add_device_options(*command, options->devices);
    add_output_options(*command, options->output);
    command->add_option("-w,--workload", options->workload,
                        "Also ask for the sizes, formats and usages of this preset or workload file");
    command->add_flag_callback(
        "--no-timing", [options] { options->request.timing = false; },
        "Measure neither what allocations cost nor how the engines work together; allocate nothing");
    command->add_flag("--strict", options->strict,
                      "Exit with 1 when a driver breaks the specification (a finding of severity violation)");
    add_answer_options(*command, options->output);
    command->callback([options, &exit_code] { exit_code = run(*options); });
}

}  // namespace heapwright::cli
