#include <CLI/CLI.hpp>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <memory>
#include <string>
#include <vector>

#include "cli/batch.hpp"
#include "cli/commands.hpp"
#include "cli/input.hpp"
#include "cli/output.hpp"
#include "cli/pipeline.hpp"
#include "core/system.hpp"
#include "core/text.hpp"
#include "heapwright/model/json.hpp"
#include "heapwright_generated/version.hpp"
#include "import/import.hpp"

namespace heapwright::cli {
namespace {

void print_absent_parts(const model::Report& report, const OutputOptions& output) {
    for (const model::DeviceReport& device : report.devices) {
        if (output.verbose) {
            print_note(fmt::format("{}: not in the file: {}", device.identity.name, fmt::join(device.absent, " ")),
                       output);
        } else if (!device.absent.empty()) {
            print_note(fmt::format("{}: {} of a report not in the file (-v)", device.identity.name,
                                   counted(device.absent.size(), "part")),
                       output);
        }
        for (const model::Finding& finding : device.findings) {
            if (finding.severity == model::FindingSeverity::kNote) continue;
            print_note(fmt::format("{}: {}", device.identity.name, finding.statement), output);
        }
    }
}

Result<model::Report> imported(const std::string& text, const std::string& name) {
    HEAPWRIGHT_ASSIGN(model::Report report, imports::import_report(text, name));
    add_findings(report);
    report.run.created_utc = utc_now();
    return report;
}

ExitCode run_all(const std::vector<std::string>& files, const OutputOptions& output) {
    return run_batch({.inputs = files,
                      .done = "imported",
                      .ending = ".report.json",
                      .recipe = fmt::format("heapwright {} import", kVersion),
                      .make = [](const std::string& text, const std::string& name) -> Result<std::vector<BatchResult>> {
                          HEAPWRIGHT_ASSIGN(const model::Report report, imported(text, name));
                          return std::vector<BatchResult>{{.text = model::write(report)}};
                      }},
                     output);
}

ExitCode run(const std::string& file, const OutputOptions& output) {
    const auto input = read_input(file);
    if (!input) return report_error(input.error());
    const auto report = imported(input->text, input->name);
    if (!report) return report_error(report.error());
    print_absent_parts(*report, output);
    const auto written = give(
        {.document = [&] { return model::write(*report); },
         .screen =
             [&](const render::ScreenStyle& style) {
                 return render::overview(*report, style, next_command("heapwright advise ", " -o policy.json", output));
             },
         .all = [&] { return summary(*report); }},
        output);
    return written ? ExitCode::kGood : report_error(written.error());
}

}  // namespace

void add_import_command(CLI::App& program, ExitCode& exit_code) {
    CLI::App* command = program.add_subcommand(
        "import",
        "Makes a report from gpuinfo.org JSON, vkjson, vulkaninfo text or JSON, Vulkan Profiles JSON, D3d12info JSON, "
        "DXVK's log or gfxreconstruct info");
    auto files = std::make_shared<std::vector<std::string>>();
    auto output = std::make_shared<OutputOptions>();
    command
        ->add_option("FILE", *files,
                     "The other tool's files, each known by its content. Of several, or of a folder's, -o names the "
                     "folder of the reports, whose batch.json tells what became of each")
        ->required();
    add_output_options(*command, *output, true);
    add_answer_options(*command, *output);
    command->callback(
        [=, &exit_code] { exit_code = is_batch(*files) ? run_all(*files, *output) : run(files->front(), *output); });
}

}  // namespace heapwright::cli
