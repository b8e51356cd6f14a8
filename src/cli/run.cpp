#include <CLI/CLI.hpp>

#include <filesystem>
#include <memory>

#include <fmt/format.h>

#include "heapwright/cli/commands.hpp"
#include "heapwright/cli/output.hpp"
#include "heapwright/cli/pipeline.hpp"
#include "heapwright/core/file.hpp"
#include "heapwright/model/json.hpp"

namespace heapwright::cli {
namespace {

struct Options {
    ProbeStage probe;
    ValidateStage validate;
    std::string workload = "general-engine";
    std::string folder;
    OutputOptions output;
};

// Each document is written as soon as it is there: what a later stage does cannot lose it.
class Sink {
public:
    explicit Sink(std::string folder) : folder_(std::move(folder)) {}

    Status prepare() const {
        if (folder_.empty()) return {};
        std::error_code error;
        std::filesystem::create_directories(path_of(folder_), error);
        if (error) return fail(ErrorCode::kIoError, "cannot be created: " + error.message(), folder_);
        return {};
    }

    Status take(std::string_view name, const std::string& document) {
        if (!folder_.empty()) return write_file_atomically(path_of(folder_) / name, document);
        bundle_ +=
            fmt::format("{}\"{}\": {}", bundle_.empty() ? "{\n" : ",\n", name.substr(0, name.find('.')), document);
        return {};
    }

    Status finish() const {
        if (!folder_.empty()) return {};
        return write_output(bundle_ + "}\n", "");
    }

private:
    std::string folder_;
    std::string bundle_;
};

Result<model::Validation> run_stages(const Options& options) {
    Sink sink(options.folder);
    HEAPWRIGHT_TRY(sink.prepare());
    HEAPWRIGHT_ASSIGN(const model::Workload workload, load_workload(options.workload));

    ProbeStage probe = options.probe;
    probe.workload = &workload;
    HEAPWRIGHT_ASSIGN(const model::Report report, probe_stage(probe, options.output));
    print_failures(report, options.output);
    HEAPWRIGHT_TRY(sink.take("report.json", model::write(report)));
    print_note(summary(report), options.output);

    HEAPWRIGHT_ASSIGN(const model::Policy policy, advise_stage(report, workload, {}));
    HEAPWRIGHT_TRY(sink.take("policy.json", model::write(policy)));
    print_note(summary(policy), options.output);

    ValidateStage validate = options.validate;
    validate.device = options.probe.device;
    HEAPWRIGHT_ASSIGN(model::Validation validation, validate_stage(policy, workload, validate, options.output));
    HEAPWRIGHT_TRY(sink.take("validation.json", model::write(validation)));
    HEAPWRIGHT_TRY(sink.finish());
    print_note(summary(validation), options.output);
    if (!options.folder.empty()) {
        print_note(fmt::format("report.json, policy.json and validation.json are in {}", options.folder),
                   options.output);
    }
    return validation;
}

ExitCode run(const Options& options) {
    const auto validation = run_stages(options);
    return validation ? exit_code_of(*validation) : report_error(validation.error());
}

}  // namespace

void add_run_command(CLI::App& program, ExitCode& exit_code) {
    CLI::App* command = program.add_subcommand("run", "Probes, advises and validates in one go");
    auto options = std::make_shared<Options>();
    options->probe.device.apis = isolate::ApiChoice::kVulkan;
    add_api_option(*command, options->probe.device.apis);
    add_device_options(*command, options->probe.device);
    add_workload_option(*command, options->workload);
    command->add_option("-o,--output", options->folder,
                        "Write report.json, policy.json and validation.json into this folder (default: one JSON object "
                        "with the three on standard output)");
    command->add_flag("-q,--quiet", options->output.quiet, "No progress and no summary on standard error");
    command->add_option("--seed", options->validate.seed,
                        "Seed of the synthetic workload (default: the workload's own)");
    command->add_flag("--baselines", options->validate.baselines,
                      "Run other allocators on the same operations too: one allocation for every resource, the "
                      "source's chunk rule, the Vulkan Memory Allocator's default rule; and streaming with chunks on "
                      "demand, the policy's and 256 MiB");
    command
        ->add_option("--scenario", options->validate.scenarios,
                     "Run this scenario alone (may be repeated; default: all): mixed-workload, streaming, "
                     "defragmentation, descriptor-views, binding-model, deferred-contexts, release-storm, "
                     "descriptor-exhaustion, upload, early-release, multi-engine-frame, copy-ring, pipelined-compute, "
                     "async-compute, async-compute-one-fence, async-compute-renamed, streaming-copy, "
                     "background-compute, interrupting-compute")
        ->allow_extra_args(false);
    command->add_flag("--validation-layers", options->validate.validation_layers,
                      "Turn on VK_LAYER_KHRONOS_validation; any message fails the run");
    command->callback([options, &exit_code] { exit_code = run(*options); });
}

}  // namespace heapwright::cli
