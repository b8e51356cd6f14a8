#include <algorithm>
#include <thread>
#include <utility>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "cli/advice.hpp"
#include "cli/batch.hpp"
#include "cli/output.hpp"
#include "compare/policy_cover.hpp"
#include "compare/report_source.hpp"
#include "heapwright/model/json.hpp"
#include "heapwright_generated/version.hpp"
#include "import/known_devices.hpp"
#include "render/advice_table.hpp"

namespace heapwright::cli {
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
