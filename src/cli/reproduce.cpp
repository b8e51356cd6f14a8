#include <CLI/CLI.hpp>

#include <memory>

#include "cli/commands.hpp"
#include "cli/input.hpp"
#include "cli/output.hpp"
#include "cli/pipeline.hpp"
#include "heapwright/model/json.hpp"
#include "model/printable.hpp"
#include "probe/reproducer.hpp"

namespace heapwright::cli {
namespace {

struct ReproduceOptions {
    std::string finding;
    std::string report_file;
    isolate::DeviceChoice devices;
    OutputOptions output;
};

Result<model::Report> load_report(const ReproduceOptions& options) {
    if (options.report_file.empty()) {
        HEAPWRIGHT_ASSIGN(isolate::Probed probed,
                          probe_stage(options.devices, {.timing = false}, nullptr, options.output));
        return std::move(probed.report);
    }
    HEAPWRIGHT_ASSIGN(const Input input, read_input(options.report_file));
    return model::read_report(input.text, input.name);
}

Result<std::string> reproduce(const ReproduceOptions& options) {
    HEAPWRIGHT_ASSIGN(const model::Report report, load_report(options));
    HEAPWRIGHT_ASSIGN(const probe::FoundFinding found, probe::find_finding(model::printable(report), options.finding));
    return probe::reproducer(found.device, found.detailed);
}

}  // namespace

void add_reproduce_command(CLI::App& program, ExitCode& exit_code) {
    CLI::App* command = program.add_subcommand(
        "reproduce", "Writes a standalone C++ program that shows a finding on the driver itself");
    auto options = std::make_shared<ReproduceOptions>();
    command->add_option("FINDING", options->finding, "The id of a finding, as a report lists it")->required();
    command->add_option("REPORT", options->report_file, "The report that holds it (default: probe this machine)");
    add_device_options(*command, options->devices);
    add_output_options(*command, options->output);
    command->footer(
        "The program needs <vulkan/vulkan.h> and -lvulkan. Its exit code: 0 the violation does not show, 1 it shows, 2 "
        "it "
        "could not be tried.");
    command->callback([options, &exit_code] {
        const auto text = reproduce(*options);
        if (!text) {
            exit_code = report_error(text.error());
            return;
        }
        const auto written = write_output(*text, options->output.file);
        if (!written) exit_code = report_error(written.error());
    });
}

}  // namespace heapwright::cli
