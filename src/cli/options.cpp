#include "heapwright/cli/options.hpp"

#include <CLI/CLI.hpp>

#include <fmt/format.h>

#include <filesystem>
#include <map>
#include <string>
#include <vector>

#include "heapwright/cli/argument_checks.hpp"
#include "heapwright/cli/output.hpp"
#include "heapwright/cli/program_input.hpp"
#include "heapwright/workload/presets.hpp"

namespace heapwright::cli {

void add_device_options(CLI::App& command, isolate::DeviceChoice& choice) {
    command.add_option("-d,--device", choice.selectors,
                       "Only this device: its index, a part of its name, its UUID, or vendor:device (repeatable)");
    command.add_option("--icd", choice.icd_files, "Only the Vulkan driver of this ICD manifest (repeatable)");
    command
        .add_option("--memory-limit", choice.limits.memory_limit_bytes,
                    "Most device memory to take, as 512MiB (default: the budget, and a quarter of the free RAM where "
                    "device memory is RAM)")
        ->transform(byte_count())
        ->type_name("SIZE");
    command
        .add_option_function<double>(
            "--time-limit",
            [&choice](double seconds) { choice.limits.time_limit_ns = static_cast<std::uint64_t>(seconds * 1e9); },
            fmt::format("Most seconds to spend on one device (default: {})",
                        choice.limits.time_limit_ns / 1'000'000'000))
        ->check(seconds())
        ->type_name("SECONDS");
}

void add_api_option(CLI::App& command, isolate::ApiChoice& apis) {
    using isolate::ApiChoice;
    static const std::map<std::string, ApiChoice> kChoices{
        {"vulkan", ApiChoice::kVulkan}, {"d3d12", ApiChoice::kD3d12}, {"all", ApiChoice::kAll}};
    command
        .add_option_function<std::string>(
            "--api", [&apis](const std::string& name) { apis = kChoices.at(name); },
            "Devices of this API: vulkan, d3d12 or all")
        ->transform(CLI::Validator(
            [](std::string& name) {
                name = CLI::detail::to_lower(name);
                return kChoices.contains(name) ? std::string()
                                               : fmt::format("no API '{}'; there are vulkan, d3d12 and all", name);
            },
            ""))
        ->type_name("NAME")
        ->default_str(apis == ApiChoice::kVulkan ? "vulkan" : "all");
}

void add_output_options(CLI::App& command, OutputOptions& options, bool takes_many) {
    const std::string what = "Write to this file instead of standard output";
    command.add_option("-o,--output", options.file, takes_many ? what + "; of several inputs into this folder" : what)
        ->check(takes_many ? writable_file_or_folder() : writable_file());
    command.add_flag("-q,--quiet", options.quiet, "No progress and no notes on standard error");
}

void add_workload_option(CLI::App& command, std::string& workload) {
    std::string known;
    for (const auto name : workload::preset_names()) known += (known.empty() ? "" : ", ") + std::string(name);
    command
        .add_option(
            "-w,--workload", workload,
            "A preset (" + known +
                "), NAME@50% for a preset with half the resources, or a file: a workload, a trace, a dump of VMA or "
                "D3D12MA, a recording of VMA; - is standard input")
        ->default_str(workload.empty() ? fmt::format("{}, with as many resources as the device holds", kDefaultWorkload)
                                       : workload);
}

Result<model::Workload> load_workload(const std::string& name_or_file, const OutputOptions& output) {
    HEAPWRIGHT_ASSIGN(const ProgramInput input, load_program(name_or_file, output));
    return input.workload();
}

}  // namespace heapwright::cli
