#include <fmt/format.h>
#include <fmt/ranges.h>
#include <CLI/CLI.hpp>

#include <algorithm>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "cli/batch.hpp"
#include "cli/commands.hpp"
#include "cli/input.hpp"
#include "cli/output.hpp"
#include "cli/pipeline.hpp"
#include "cli/replay.hpp"
#include "core/hash.hpp"
#include "core/system.hpp"
#include "heapwright/model/json.hpp"
#include "heapwright_generated/version.hpp"
#include "model/detail/write.hpp"
#include "model/workload_identity.hpp"
#include "workload/read.hpp"

namespace heapwright::cli {
namespace {

struct ValidateOptions {
    std::vector<std::string> policy_files;
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

// `asked`: none: the policy's own. `reports`: which one is replayed; empty: the policy runs on a driver.
Result<model::Validation> validate(const ValidateOptions& options, const std::optional<model::Workload>& asked,
                                   const Input& input, const std::vector<ReplayReport>& reports,
                                   const OutputOptions& output) {
    HEAPWRIGHT_ASSIGN(const model::Policy policy, model::read_policy(input.text, input.name));
    HEAPWRIGHT_ASSIGN(const model::Workload workload, asked ? *asked : policys_workload(policy, input.name));
    std::string report;
    if (!reports.empty()) {
        HEAPWRIGHT_ASSIGN(report, report_for(policy, reports));
    }
    HEAPWRIGHT_ASSIGN(model::Validation validation,
                      report.empty() ? validate_stage(policy, workload, options.devices, options.request, output)
                                     : replay_stage(policy, workload, report, options.replay.fault_plan,
                                                    options.devices, options.request, output));
    // Who names a driver or a device means that one alone.
    const bool wants_all = options.devices.icd_files.empty() && options.devices.selectors.empty();
    if (wants_all && !options.request.allow_other_device) name_missing_devices(policy, validation);
    return validation;
}

// Read once, for it may be standard input.
Result<std::optional<model::Workload>> asked_workload(const ValidateOptions& options) {
    if (options.workload.empty()) return std::nullopt;
    HEAPWRIGHT_ASSIGN(model::Workload workload, load_workload(options.workload, options.output));
    return std::optional(std::move(workload));
}

Result<model::Validation> validate_one(const ValidateOptions& options) {
    std::vector<ReplayReport> reports;
    if (is_batch(options.replay.reports)) {
        HEAPWRIGHT_ASSIGN(reports, list_reports(options.replay.reports));
    } else if (!options.replay.reports.empty()) {
        reports.push_back({.name = options.replay.reports.front(), .stable_hash = {}, .devices = {}});
    }
    HEAPWRIGHT_ASSIGN(const Input input, read_input(options.policy_files.front()));
    HEAPWRIGHT_ASSIGN(const auto asked, asked_workload(options));
    return validate(options, asked, input, reports, options.output);
}

// What of the results is not the policies': the reports, the workload and what was asked.
std::string recipe_of(const ValidateOptions& options, const std::optional<model::Workload>& asked_workload,
                      const std::vector<ReplayReport>& reports) {
    std::string asked = model::detail::write_document(options.request, true) +
                        model::detail::write_document(options.devices.limits, true) +
                        fmt::format("{} {}", options.replay.fault_plan, fmt::join(options.devices.selectors, " "));
    for (const ReplayReport& report : reports) asked += " " + report.stable_hash;
    if (asked_workload) asked += " " + model::stable_hash(*asked_workload);
    return fmt::format("heapwright {} validate --replay {}", kVersion, hash_hex(asked));
}

ExitCode run_all(ValidateOptions options) {
    if (options.replay.reports.empty()) {
        return report_error({.code = ErrorCode::kInvalidArgument,
                             .message = "several policies are validated on their reports alone: --replay names these",
                             .where = "validate"});
    }
    if (options.output.file.empty() || options.output.file == "-") {
        return report_error({.code = ErrorCode::kInvalidArgument,
                             .message = "several policies give several validations: -o FOLDER keeps them",
                             .where = "validate"});
    }
    const auto reports = list_reports(options.replay.reports);
    if (!reports) return report_error(reports.error());
    const auto asked = asked_workload(options);
    if (!asked) return report_error(asked.error());
    const std::string recipe = recipe_of(options, *asked, *reports);  // the limit below follows the free RAM
    // All at once take no more of the RAM than three alone.
    const std::uint64_t limit_bytes = shadow_limit_bytes(options.devices.limits);
    options.devices.limits.memory_limit_bytes = limit_bytes;
    OutputOptions quiet = options.output;
    quiet.quiet = true;
    ExitCode worst = ExitCode::kGood;
    std::string table;
    const ExitCode code = run_batch(
        {.inputs = options.policy_files,
         .done = "validated",
         .ending = ".validation.json",
         .recipe = recipe,
         .takes = model::DocumentKind::kPolicy,
         .most_at_once = std::max<std::uint64_t>(1, available_ram_bytes().value_or(limit_bytes) / 4 * 3 / limit_bytes),
         .make = [&](const std::string& text, const std::string& name) -> Result<std::vector<BatchResult>> {
             HEAPWRIGHT_ASSIGN(const model::Validation validation,
                               validate(options, *asked, {.text = text, .name = name}, *reports, quiet));
             return std::vector<BatchResult>{{.text = model::write(validation)}};
         },
         .each = [&](std::uint64_t, const std::string& name, const std::string& result) -> Status {
             HEAPWRIGHT_ASSIGN(const model::Validation validation, model::read_validation(result, name));
             worst = worse(worst, exit_code_of(validation));
             for (const model::DeviceValidation& device : validation.devices) {
                 table +=
                     fmt::format("{:<16}  {}: {}\n", model::verdict_text(device.verdict), name, device.identity.name);
             }
             for (const model::ProbeFailure& failure : validation.failures)
                 table += fmt::format("{:<16}  {}: {}: {}\n", "not validated", name, failure.driver, failure.reason);
             return {};
         }},
        options.output);
    if (!options.output.quiet && !options.output.json) {
        if (const auto written = write_text(table, ""); !written) return report_error(written.error());
    }
    return worse(code, worst);
}

ExitCode run(const ValidateOptions& options) {
    if (is_batch(options.policy_files)) return run_all(options);
    const auto validation = validate_one(options);
    if (!validation) return report_error(validation.error());
    print_failures("not validated", validation->failures, options.output);
    const auto written =
        give({.document = [&] { return model::write(*validation); },
              .screen =
                  [&](const render::ScreenStyle& style) {
                      return render::overview(*validation, style,
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
    command
        ->add_option("POLICY", options->policy_files,
                     "A policy, as 'advise' writes it. With --replay also several, or a folder of them: -o names the "
                     "folder of the validations, whose batch.json tells what became of each")
        ->required();
    command->add_option("-w,--workload", options->workload,
                        "A preset, NAME@50% for one with half the resources, or a file as 'advise -w' takes (default: "
                        "the policy's own)");
    add_device_options(*command, options->devices);
    add_output_options(*command, options->output, true);
    add_validation_options(*command, options->request);
    command->add_flag("--allow-other-device", options->request.allow_other_device,
                      "Run a policy that was made for another device or driver");
    CLI::Option* replay = command
                              ->add_option("--replay", options->replay.reports,
                                           "Let this report act as the device instead of a driver; of several, or of "
                                           "a folder's, the one that the policy was made from, else for (repeatable)")
                              ->allow_extra_args(false)  // a policy may stand behind it
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
