#include <algorithm>
#include <filesystem>
#include <mutex>
#include <optional>
#include <thread>
#include <utility>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "heapwright/cli/advice.hpp"
#include "heapwright/cli/answer.hpp"
#include "heapwright/cli/batch.hpp"
#include "heapwright/cli/output.hpp"
#include "heapwright/compare/policy_cover.hpp"
#include "heapwright/compare/report_source.hpp"
#include "heapwright/core/count_text.hpp"
#include "heapwright/core/file.hpp"
#include "heapwright/core/hash.hpp"
#include "heapwright/core/interrupt.hpp"
#include "heapwright/core/parallel.hpp"
#include "heapwright/core/path.hpp"
#include "heapwright/known/known_devices.hpp"
#include "heapwright/model/json.hpp"
#include "heapwright/render/advice_table.hpp"
#include "heapwright_generated/version.hpp"

namespace heapwright::cli {
namespace {

constexpr std::size_t kTableLines = 40;
constexpr std::size_t kMostShared = 64;  // devices that one policy is looked for; it takes the square of their number

// A line of the table, and where its device can be read again.
struct AdvisedDevice {
    std::uint64_t position = 0;
    render::AdviceRow row;
    const known::KnownDevice* known = nullptr;
    std::string file;  // as compare::read_named() takes it
    model::DeviceIdentity identity;
};

std::size_t processors() {
    return std::max(1u, std::thread::hardware_concurrency());
}

class ManyReports {
public:
    explicit ManyReports(const AdviseOptions& options) : options_(options) { silent_.quiet = true; }

    ExitCode run() {
        const auto code = advise_all();
        if (!code) return report_error(code.error());
        if (devices_.empty() || *code == ExitCode::kInconclusive) return *code;
        if (const Status told = tell(); !told) return report_error(told.error());
        const bool fits = std::ranges::all_of(devices_, [](const AdvisedDevice& one) { return one.row.fits; });
        return worse(*code, fits || !options_.strict ? ExitCode::kGood : ExitCode::kFailed);
    }

private:
    Result<ExitCode> advise_all() {
        if (!options_.validation_file.empty()) {
            return fail(ErrorCode::kInvalidArgument, "belongs to one report, not to many", "--from-validation");
        }
        HEAPWRIGHT_TRY(advise_known());
        if (options_.reports.empty()) return ExitCode::kGood;
        return advise_reports();
    }

    [[nodiscard]] bool keeps_policies() const { return !options_.output.file.empty() && options_.output.file != "-"; }

    Status advise_known() {
        std::vector<const known::KnownDevice*> chosen;
        for (const std::string& name : options_.gpus) {
            HEAPWRIGHT_ASSIGN(const known::Found found, known::find_known(name));
            chosen.push_back(found.device);
            if (found.others.empty()) continue;
            std::vector<std::string> others;
            for (const known::KnownDevice* other : found.others) others.push_back(other->driver);
            print_note(fmt::format("--gpu \"{}\": taken as {}; also known with {}", name,
                                   known::title_of(*found.device), fmt::join(others, ", ")),
                       options_.output);
        }
        if (keeps_policies() && !chosen.empty()) {
            std::error_code error;
            std::filesystem::create_directories(path_of(options_.output.file), error);
            if (error) return fail(ErrorCode::kIoError, error.message(), options_.output.file);
        }
        for_each_index(chosen.size(), processors(), [&](std::size_t index) {
            if (Status advised = advise_one(*chosen[index], index); !advised) note(std::move(advised));
        });
        HEAPWRIGHT_TRY(check_interrupted());
        return failed_;
    }

    Status advise_one(const known::KnownDevice& device, std::uint64_t position) {
        HEAPWRIGHT_TRY(check_interrupted());
        HEAPWRIGHT_ASSIGN(const model::Report report, known::report_of(device));
        HEAPWRIGHT_ASSIGN(const Advice advice, advise_report(report, options_, silent_));
        if (keeps_policies()) {
            HEAPWRIGHT_TRY(write_file_atomically(path_of(options_.output.file) / path_of(device.file + kEnding),
                                                 model::write(advice.policy)));
        }
        add(advice.policy, position, &device, {});
        return {};
    }

    Result<ExitCode> advise_reports() {
        return run_batch(
            {.inputs = options_.reports,
             .done = "advised",
             .ending = kEnding,
             .recipe = recipe(),
             .takes = model::DocumentKind::kReport,
             .make = [&](const std::string& text, const std::string& name) -> Result<std::vector<BatchResult>> {
                 HEAPWRIGHT_ASSIGN(const model::Report report, model::read_report(text, name));
                 HEAPWRIGHT_ASSIGN(const Advice advice, advise_report(report, options_, silent_));
                 return std::vector<BatchResult>{{.device = {}, .text = model::write(advice.policy)}};
             },
             .each = [&](std::uint64_t position, const std::string& name, const std::string& result) -> Status {
                 HEAPWRIGHT_ASSIGN(const model::Policy policy, model::read_policy(result, name));
                 add(policy, options_.gpus.size() + position, nullptr, name);
                 return {};
             }},
            options_.output);
    }

    // Policies of other options are made anew.
    [[nodiscard]] std::string recipe() const {
        std::string workload = options_.workload;
        if (const auto text = read_file(path_of(workload))) workload = hash_hex(*text);
        return fmt::format("heapwright {} advise, workload {}, devices {}, humongous {}", kVersion, workload,
                           fmt::join(options_.selectors, " "), options_.refuse_humongous ? "refused" : "own memory");
    }

    void add(const model::Policy& policy, std::uint64_t position, const known::KnownDevice* known,
             const std::string& file) {
        const std::lock_guard lock(mutex_);
        for (const model::DevicePolicy& device : policy.devices) {
            AdvisedDevice advised{
                .position = position,
                .row = render::advice_row(device, known != nullptr ? known::title_of(*known) : device.identity.name,
                                          policy.workload_name),
                .known = known,
                .file = file,
                .identity = device.identity};
            if (known != nullptr && !known->caveat.empty())
                advised.row.remark =
                    fmt::format("{}, {}: {}", known->driver, known::basis_name(known->basis), known->caveat);
            devices_.push_back(std::move(advised));
        }
    }

    void note(Status problem) {
        const std::lock_guard lock(mutex_);
        if (failed_) failed_ = std::move(problem);
    }

    static Result<model::DeviceReport> read_again(const AdvisedDevice& advised) {
        Result<model::Report> report = advised.known != nullptr ? known::report_of(*advised.known) : [&] {
            const auto text = compare::read_named(advised.file);
            return text ? model::read_report(*text, advised.file) : Result<model::Report>(fail(text.error()));
        }();
        if (!report) return fail(std::move(report.error()));
        for (model::DeviceReport& device : report->devices)
            if (model::same_device_and_driver(device.identity, advised.identity)) return std::move(device);
        return fail(ErrorCode::kIoError, "changed meanwhile", advised.file);
    }

    // Which devices one policy would serve: of those that hold the whole workload.
    Result<render::SharedPolicies> shared_policies() const {
        if (devices_.size() < 2 || devices_.size() > kMostShared) return render::SharedPolicies{};
        std::vector<std::size_t> whole;
        std::vector<compare::CoverDevice> candidates;
        for (std::size_t index = 0; index < devices_.size(); ++index) {
            const render::AdviceRow& row = devices_[index].row;
            if (!row.fits || row.workload.find('@') != std::string::npos) continue;
            auto device = read_again(devices_[index]);
            compare::CoverDevice candidate;
            if (device)
                candidate.device = std::move(*device);
            else
                candidate.error = to_string(device.error());
            whole.push_back(index);
            candidates.push_back(std::move(candidate));
        }
        HEAPWRIGHT_ASSIGN(const model::Workload workload,
                          load_workload(options_.workload.empty() ? kDefaultWorkload : options_.workload));
        HEAPWRIGHT_ASSIGN(const compare::Cover cover,
                          compare::cover_devices(std::move(candidates), workload, {.threads = processors()}));
        render::SharedPolicies shared;
        for (std::size_t policy = 0; policy < cover.policies.size(); ++policy) {
            std::vector<std::size_t> served{whole[cover.policies[policy]]};
            for (std::size_t at = 0; at < whole.size(); ++at)
                if (cover.devices[at].by == policy && at != cover.policies[policy]) served.push_back(whole[at]);
            if (served.size() > 1) shared.push_back(std::move(served));
        }
        return shared;
    }

    Status tell() {
        std::ranges::stable_sort(devices_, {}, &AdvisedDevice::position);
        std::vector<render::AdviceRow> rows;
        for (const AdvisedDevice& device : devices_) rows.push_back(device.row);
        HEAPWRIGHT_ASSIGN(const render::SharedPolicies shared, shared_policies());
        const bool has_folder = keeps_policies();
        OutputOptions output = options_.output;
        if (has_folder) {
            if (output.json || output.quiet) return {};  // the batch's index is there
            output.file.clear();
            output.text = true;
        }
        const std::string next = has_folder ? "" : "-o FOLDER keeps the policies, --json prints the table";
        const auto table = [&](std::size_t most, const render::ScreenStyle& style) {
            return render::advice_table(rows, shared, style, most, next);
        };
        return give({.document = [&] { return render::advice_document(rows, shared); },
                     .screen = [&](const render::ScreenStyle& style) { return table(kTableLines, style); },
                     .all = [&] { return table(rows.size(), {}); }},
                    output);
    }

    static constexpr const char* kEnding = ".policy.json";

    const AdviseOptions& options_;
    OutputOptions silent_;
    std::mutex mutex_;
    std::vector<AdvisedDevice> devices_;
    Status failed_;
};

}  // namespace

ExitCode advise_many(const AdviseOptions& options) {
    return ManyReports(options).run();
}

}  // namespace heapwright::cli
