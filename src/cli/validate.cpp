#include <fmt/format.h>
#include <CLI/CLI.hpp>

#include <memory>

#include "heapwright/cli/answer.hpp"
#include "heapwright/cli/commands.hpp"
#include "heapwright/cli/input.hpp"
#include "heapwright/cli/output.hpp"
#include "heapwright/cli/pipeline.hpp"
#include "heapwright/cli/replay.hpp"
#include "heapwright/cli/stage_options.hpp"
#include "heapwright/model/json.hpp"
#include "heapwright/model/workload_identity.hpp"
#include "heapwright/workload/presets.hpp"

namespace heapwright::cli {
namespace {

struct ValidateOptions {
    std::string policy_file;
    std::string workload;
    isolate::DeviceChoice devices;
    validate::ValidationRequest request;
    ReplaySource replay;
    OutputOptions output;
};

// The one that the policy carries; of an older policy the preset of its name.
Result<model::Workload> policys_workload(const model::Policy& policy, const std::string& source) {
    if (policy.workload) return *policy.workload;
    auto preset = workload::preset(policy.workload_name);
    if (preset) return preset;
    const model::WorkloadIdentity missing = model::workload_of(policy);
    return fail(ErrorCode::kInvalidArgument,
                fmt::format("the policy does not hold its workload {}, which is no preset: give it with -w FILE",
                            model::told_from(missing, missing)),
                source + ": /workload");
}

Result<model::Validation> validate(const ValidateOptions& options) {
    HEAPWRIGHT_ASSIGN(const Input input, read_input(options.policy_file));
    HEAPWRIGHT_ASSIGN(const model::Policy policy, model::read_policy(input.text, input.name));
    HEAPWRIGHT_ASSIGN(const model::Workload workload, options.workload.empty() ? policys_workload(policy, input.name)
                                                                               : load_workload(options.workload));
    const bool replays = !options.replay.report_file.empty();
    HEAPWRIGHT_ASSIGN(
        model::Validation validation,
        replays ? replay_stage(policy, workload, options.replay, options.devices, options.request, options.output)
                : validate_stage(policy, workload, options.devices, options.request, options.output));
    // Who names a driver or a device means that one alone.
    const bool wants_all = options.devices.icd_files.empty() && options.devices.selectors.empty();
    if (wants_all && !options.request.allow_other_device) name_missing_devices(policy, validation);
    return validation;
}

ExitCode run(const ValidateOptions& options) {
    const auto validation = validate(options);
    if (!validation) return report_error(validation.error());
    print_failures("not validated", validation->failures, options.output);
    const auto written =
        give({.document = [&] { return model::write(*validation); },
              .screen =
                  [&](const render::ScreenStyle& style) {
                      return render::glance(*validation, style,
                                            next_command("heapwright report ", " -o page.html", options.output));
                  },
              .all = [&] { return summary(*validation); }},
             options.output);
    return written ? exit_code_of(*validation) : report_error(written.error());
}

}  // namespace

void add_validate_command(CLI::App& program, ExitCode& exit_code) {
    CLI::App* command =
        program.add_subcommand("validate", "Runs a policy on its device under a workload and checks every byte");
    auto options = std::make_shared<ValidateOptions>();
    command->add_option("POLICY", options->policy_file, "A policy, as 'advise' writes it")->required();
    command->add_option(
        "-w,--workload", options->workload,
        "A preset, NAME@50% for one with half the resources, or a workload or trace file (default: the policy's own)");
    add_device_options(*command, options->devices);
    add_output_options(*command, options->output);
    add_validation_options(*command, options->request);
    command->add_flag("--allow-other-device", options->request.allow_other_device,
                      "Run a policy that was made for another device or driver");
    CLI::Option* replay = command
                              ->add_option("--replay", options->replay.report_file,
                                           "Let this report act as the device instead of a driver")
                              ->excludes(command->get_option("--icd"))
                              ->excludes(command->get_option("--validation-layers"));
    command
        ->add_option("--fault", options->replay.fault_plan,
                     "Make the replayed device fail: oom-after=64MiB, device-lost-at=3, pass-waits-from=1, "
                     "slow-allocation=5ms, fail=create-placed:7, or several with commas")
        ->needs(replay);
    add_answer_options(*command, options->output);
    command->callback([options, &exit_code] { exit_code = run(*options); });
}

}  // namespace heapwright::cli
