#include <fmt/format.h>
#include <fmt/ranges.h>
#include <CLI/CLI.hpp>

#include <memory>

#include "cli/advice.hpp"
#include "cli/batch.hpp"
#include "cli/commands.hpp"
#include "cli/input.hpp"
#include "cli/output.hpp"
#include "cli/pipeline.hpp"
#include "core/count_text.hpp"
#include "heapwright/model/json.hpp"
#include "import/known_devices.hpp"
#include "policy/advise.hpp"
#include "policy/demand.hpp"

namespace heapwright::cli {
namespace {

constexpr const char* kOwnMemory = "own_memory";
constexpr const char* kRefuse = "refuse";

// On standard error, so that whoever asked for the policy alone sees it.
void ask_for_probe(const model::Policy& policy, const std::string& workload, const OutputOptions& output) {
    for (const model::DevicePolicy& device : policy.devices) {
        if (device.unanswered_points == 0) continue;
        print_note(fmt::format("{}: the report lacks {} that the workload needs; to have the driver's own answers, run "
                               "on the device: {}",
                               device.identity.name, counted(device.unanswered_points, "point"),
                               policy::probe_command(workload)),
                   output);
    }
}

Result<model::Report> only_report(const AdviseOptions& options) {
    if (!options.gpus.empty()) {
        HEAPWRIGHT_ASSIGN(const import::KnownDevice* const device, known_gpu(options.gpus.front(), options.output));
        if (!device->caveat.empty())
            print_note(fmt::format("{}: {}", import::title_of(*device), device->caveat), options.output);
        return import::report_of(*device);
    }
    HEAPWRIGHT_ASSIGN(const Input input, read_input(options.reports.front()));
    return model::read_report(input.text, input.name);
}

Result<Advice> advise_one(const AdviseOptions& options) {
    HEAPWRIGHT_ASSIGN(const model::Report report, only_report(options));
    HEAPWRIGHT_ASSIGN(const model::Workload workload, workload_of(options));
    return advise_report(report, workload, options, options.output);
}

ExitCode run(const AdviseOptions& options) {
    if (options.gpus.size() + options.reports.size() > 1 || is_batch(options.reports)) return advise_many(options);
    const auto advice = advise_one(options);
    if (!advice) return report_error(advice.error());
    const model::Policy* const policy = &advice->policy;
    print_failures("left out", advice->left_out, options.output);
    ask_for_probe(*policy, options.workload.empty() ? policy->workload_name : options.workload, options.output);
    const bool fits = say_what_does_not_fit(*policy, options.output);
    const auto written =
        give({.document = [&] { return model::write(*policy); },
              .screen =
                  [&](const render::ScreenStyle& style) {
                      return render::glance(*policy, style, next_command("heapwright validate ", "", options.output));
                  },
              .all = [&] { return summary(*policy); }},
             options.output);
    if (!written) return report_error(written.error());
    return worse(fits || !options.strict ? ExitCode::kGood : ExitCode::kFailed,
                 advice->left_out.empty() ? ExitCode::kGood : ExitCode::kPartlyFailed);
}

}  // namespace

Result<model::Workload> workload_of(const AdviseOptions& options) {
    return load_workload(options.workload.empty() ? kDefaultWorkload : options.workload, options.output);
}

Result<const import::KnownDevice*> known_gpu(const std::string& name, const OutputOptions& output) {
    HEAPWRIGHT_ASSIGN(const import::Found found, import::find_known(name));
    std::vector<std::string> others;
    for (const import::KnownDevice* other : found.others) others.push_back(other->driver);
    if (!found.is_whole || !others.empty()) {
        print_note(fmt::format("--gpu \"{}\" is taken as {}{}{}", name, import::title_of(*found.device),
                               others.empty() ? "" : "; also known with ", fmt::join(others, "; ")),
                   output);
    }
    return found.device;
}

Result<Advice> advise_report(const model::Report& report, const model::Workload& asked, const AdviseOptions& options,
                             const OutputOptions& output) {
    HEAPWRIGHT_ASSIGN(AdvisableDevices devices, advisable_devices(report, asked, options.selectors));
    model::Workload workload = asked;
    if (options.workload.empty()) {
        HEAPWRIGHT_ASSIGN(workload, default_workload_stage(report, devices.chosen, asked, {}, output));
    }
    policy::AdviseOptions how{.workload_argument = options.workload, .humongous = humongous_of(options)};
    model::Validation learned;
    if (!options.validation_file.empty()) {
        HEAPWRIGHT_ASSIGN(const Input validation, read_input(options.validation_file));
        HEAPWRIGHT_ASSIGN(learned, model::read_validation(validation.text, validation.name));
        how.learned = &learned;
    }
    HEAPWRIGHT_ASSIGN(model::Policy policy, policy::advise(report, workload, devices.chosen, how));
    return Advice{.policy = std::move(policy), .left_out = std::move(devices.left_out)};
}

void add_advise_command(CLI::App& program, ExitCode& exit_code) {
    CLI::App* command = program.add_subcommand("advise", "Computes an allocation policy from a report and a workload");
    auto options = std::make_shared<AdviseOptions>();
    command->add_option(
        "REPORT", options->reports,
        "A report, as 'probe' or 'import' writes it. Of several, of a folder's, or of several --gpu, one "
        "table says what each device gets, and -o names the folder of the policies, whose batch.json "
        "tells what became of each");
    command
        ->add_option("--gpu", options->gpus,
                     "A GPU that you do not have: a name, as \"RTX 4090\" or \"7900 XTX RADV\", of those that "
                     "'devices --known' lists (repeatable)")
        ->allow_extra_args(false);
    add_workload_option(*command, options->workload);
    command->add_option("-d,--device", options->selectors, "Only these devices of the report (repeatable)");
    command->add_option("--from-validation", options->validation_file,
                        "Learn from the promises that this validation of an earlier policy measured");
    add_output_options(*command, options->output, true);
    add_answer_options(*command, options->output);
    command->add_flag("--strict", options->strict,
                      "Exit with 1 where the workload does not fit a device; the policy is written all the same");
    command
        ->add_option_function<std::string>(
            "--humongous", [options](const std::string& rule) { options->refuse_humongous = rule == kRefuse; },
            "What the ordinary interface does with a request that is too large for chunks: own_memory gives it memory "
            "of its own, refuse has the caller ask for that by name")
        ->check(CLI::IsMember({kOwnMemory, kRefuse}))
        ->default_str(kOwnMemory);
    command->callback([options, &exit_code] {
        if (options->reports.empty() && options->gpus.empty()) {
            exit_code = report_error(
                {.code = ErrorCode::kInvalidArgument, .message = "needs a report, or --gpu NAME", .where = "advise"});
            return;
        }
        exit_code = run(*options);
    });
}

}  // namespace heapwright::cli
