#include <algorithm>
#include <memory>
#include <thread>
#include <utility>

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <CLI/CLI.hpp>

#include "cli/advice.hpp"
#include "cli/batch.hpp"
#include "cli/commands.hpp"
#include "cli/input.hpp"
#include "cli/output.hpp"
#include "cli/pipeline.hpp"
#include "compare/documents.hpp"
#include "compare/policy_impact.hpp"
#include "core/text.hpp"
#include "heapwright/model/json.hpp"
#include "heapwright_generated/version.hpp"
#include "import/known_devices.hpp"
#include "policy/advise.hpp"
#include "policy/demand.hpp"
#include "render/advice_table.hpp"

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
                      return render::overview(*policy, style, next_command("heapwright validate ", "", options.output));
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

namespace {

constexpr std::size_t kTableLines = 40;
constexpr std::size_t kMostShared = 16;  // devices that one policy is looked for; it takes the square of their number
constexpr const char* kKnown = "known:";

// A line of the table, and where its device can be read again.
struct AdvisedDevice {
    std::uint64_t position = 0;
    render::AdviceRow row;  // its source: a file as compare::read_named() takes it, or kKnown and a known device's file
    model::DeviceIdentity identity;
};

const import::KnownDevice* known_device_of(const std::string& source) {
    if (!source.starts_with(kKnown)) return nullptr;
    const auto devices = import::known_devices();
    const auto found =
        std::ranges::find(devices, source.substr(std::string_view(kKnown).size()), &import::KnownDevice::file);
    return found == devices.end() ? nullptr : &*found;
}

class ManyReports {
public:
    explicit ManyReports(const AdviseOptions& options) : options_(options) { silent_.quiet = true; }

    Result<ExitCode> run() {
        if (!options_.validation_file.empty())
            return fail(ErrorCode::kInvalidArgument, "belongs to one report, not to many", "--from-validation");
        HEAPWRIGHT_ASSIGN(workload_, workload_of(options_));
        HEAPWRIGHT_ASSIGN(std::vector<BatchInput> gpus, known_inputs());
        const ExitCode code =
            run_batch({.given = std::move(gpus),
                       .inputs = options_.reports,
                       .done = "advised",
                       .ending = ".policy.json",
                       .recipe = recipe(),
                       .takes = model::DocumentKind::kReport,
                       .make = [&](const std::string& text, const std::string& name) { return advise(text, name); },
                       .each = [&](std::uint64_t position, const std::string& name,
                                   const std::string& result) { return add(position, name, result); }},
                      options_.output);
        if (devices_.empty() || code == ExitCode::kInconclusive) return code;
        HEAPWRIGHT_TRY(tell());
        const bool fits = std::ranges::all_of(devices_, [](const AdvisedDevice& one) { return one.row.fits; });
        return worse(code, fits || !options_.strict ? ExitCode::kGood : ExitCode::kFailed);
    }

private:
    Result<std::vector<BatchInput>> known_inputs() const {
        std::vector<BatchInput> inputs;
        for (const std::string& name : options_.gpus) {
            HEAPWRIGHT_ASSIGN(const import::KnownDevice* const device, known_gpu(name, options_.output));
            const std::string source = kKnown + device->file;
            if (std::ranges::find(inputs, source, &BatchInput::name) != inputs.end()) continue;
            inputs.push_back(
                {.name = source, .stem = device->file, .text = [device] { return import::report_text_of(*device); }});
        }
        return inputs;
    }

    Result<std::vector<BatchResult>> advise(const std::string& text, const std::string& name) const {
        HEAPWRIGHT_ASSIGN(const model::Report report, model::read_report(text, name));
        HEAPWRIGHT_ASSIGN(const Advice advice, advise_report(report, workload_, options_, silent_));
        std::vector<std::string> left_out;
        for (const model::ProbeFailure& failure : advice.left_out)
            left_out.push_back(fmt::format("{}: {}", failure.driver, failure.reason));
        return std::vector<BatchResult>{
            {.text = model::write(advice.policy), .left_out = fmt::format("{}", fmt::join(left_out, "; "))}};
    }

    Status add(std::uint64_t position, const std::string& source, const std::string& result) {
        HEAPWRIGHT_ASSIGN(const model::Policy policy, model::read_policy(result, source));
        const import::KnownDevice* const known = known_device_of(source);
        for (const model::DevicePolicy& device : policy.devices) {
            AdvisedDevice advised{
                .position = position,
                .row = render::advice_row(device, known != nullptr ? import::title_of(*known) : device.identity.name,
                                          policy.workload_name),
                .identity = device.identity};
            advised.row.source = source;
            advised.row.is_part = options_.workload.empty() && policy.workload_name != workload_.name;
            if (known != nullptr) advised.row.remark = known->caveat;
            devices_.push_back(std::move(advised));
        }
        return {};
    }

    // Policies of other options are made anew.
    [[nodiscard]] std::string recipe() const {
        return fmt::format("heapwright {} advise, workload {} {}, devices {}, humongous {}", kVersion,
                           options_.workload.empty() ? "part of" : "whole", model::stable_hash(workload_),
                           fmt::join(options_.selectors, " "), options_.refuse_humongous ? "refused" : "own memory");
    }

    static Result<model::DeviceReport> read_again(const AdvisedDevice& advised) {
        const import::KnownDevice* const known = known_device_of(advised.row.source);
        HEAPWRIGHT_ASSIGN(const std::string text,
                          known != nullptr ? import::report_text_of(*known) : compare::read_named(advised.row.source));
        HEAPWRIGHT_ASSIGN(model::Report report, model::read_report(text, advised.row.source));
        for (model::DeviceReport& device : report.devices)
            if (model::same_device_and_driver(device.identity, advised.identity)) return std::move(device);
        return fail(ErrorCode::kIoError, "changed meanwhile", advised.row.source);
    }

    // Which devices one policy would serve: of those that hold the whole workload. None where the search is
    // interrupted.
    [[nodiscard]] render::SharedPolicies shared_policies() const {
        render::SharedPolicies shared;
        if (devices_.size() < 2 || devices_.size() > kMostShared) return shared;
        std::vector<std::size_t> whole;
        std::vector<compare::CoverDevice> candidates;
        for (std::size_t index = 0; index < devices_.size(); ++index) {
            const render::AdviceRow& row = devices_[index].row;
            if (!row.fits || row.is_part) continue;
            auto device = read_again(devices_[index]);
            if (!device) continue;
            whole.push_back(index);
            candidates.push_back({.device = std::move(*device), .error = {}});
        }
        const auto cover = compare::cover_devices(
            std::move(candidates), workload_,
            {.threads = std::max(1u, std::thread::hardware_concurrency()), .humongous = humongous_of(options_)});
        if (!cover) return shared;
        for (std::size_t policy = 0; policy < cover->policies.size(); ++policy) {
            std::vector<std::size_t> served{whole[cover->policies[policy]]};
            for (std::size_t at = 0; at < whole.size(); ++at)
                if (cover->devices[at].by == policy && at != cover->policies[policy]) served.push_back(whole[at]);
            if (served.size() > 1) shared.push_back(std::move(served));
        }
        return shared;
    }

    // The words behind the batch's own, or what was asked for where nothing is kept.
    Status tell() {
        OutputOptions output = options_.output;
        const bool has_folder = !output.file.empty() && output.file != "-";
        if (has_folder && (output.json || output.quiet)) return {};
        if (has_folder) {
            output.file.clear();
            output.text = true;
        }
        std::ranges::stable_sort(devices_, {}, &AdvisedDevice::position);
        std::vector<render::AdviceRow> rows;
        for (const AdvisedDevice& device : devices_) rows.push_back(device.row);
        const render::SharedPolicies shared = shared_policies();
        std::string next = has_folder ? "" : "-o FOLDER keeps the policies, --json prints the table";
        const auto table = [&](std::size_t most, const render::ScreenStyle& style) {
            return render::advice_table(rows, shared, style, most, next);
        };
        if (devices_.size() > kMostShared && !output.quiet) {
            print_note(fmt::format("which of more than {} devices one policy would serve: heapwright compare --cluster "
                                   "FOLDER -w WORKLOAD",
                                   kMostShared),
                       output);
        }
        return give({.document = [&] { return render::advice_document(rows, shared); },
                     .screen = [&](const render::ScreenStyle& style) { return table(kTableLines, style); },
                     .all = [&] { return table(rows.size(), {}); }},
                    output);
    }

    const AdviseOptions& options_;
    OutputOptions silent_;
    model::Workload workload_;
    std::vector<AdvisedDevice> devices_;
};

}  // namespace

ExitCode advise_many(const AdviseOptions& options) {
    const auto code = ManyReports(options).run();
    return code ? *code : report_error(code.error());
}

}  // namespace heapwright::cli
