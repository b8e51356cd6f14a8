#include "cli/replay.hpp"

#include <algorithm>
#include <memory>
#include <optional>

#include <fmt/format.h>

#include "cli/batch.hpp"
#include "cli/input.hpp"
#include "cli/output.hpp"
#include "compare/documents.hpp"
#include "core/interrupt.hpp"
#include "core/path.hpp"
#include "core/system.hpp"
#include "core/text.hpp"
#include "heapwright/model/json.hpp"
#include "heapwright_generated/version.hpp"
#include "isolate/memory_limit.hpp"
#include "isolate/messages.hpp"
#include "model/selection.hpp"
#include "model/workload_identity.hpp"
#include "replay/device.hpp"
#include "replay/fault_injection.hpp"
#include "validate/validate.hpp"

namespace heapwright::cli {
namespace {

// A line of a file, too.
Result<Input> read_report_text(const std::string& name) {
    if (name == "-") return read_input(name);
    HEAPWRIGHT_ASSIGN(std::string text, compare::read_named(name));
    return Input{.text = std::move(text), .name = name};
}

bool made_for_device_of(const model::Policy& policy, const ReplayReport& report) {
    return std::ranges::any_of(policy.devices, [&](const model::DevicePolicy& device) {
        return std::ranges::any_of(report.devices, [&](const model::DeviceIdentity& identity) {
            return model::same_device_and_driver(identity, device.identity);
        });
    });
}

Result<model::DeviceValidation> replay_device(const model::DeviceReport& report, const model::DevicePolicy& policy,
                                              const model::Workload& workload, std::string other_workload,
                                              replay::FaultPlan plan, const isolate::DeviceLimits& limits,
                                              const validate::ValidationRequest& request, Progress& progress) {
    const std::uint64_t limit_bytes = shadow_limit_bytes(limits);
    HEAPWRIGHT_ASSIGN(std::unique_ptr<replay::ReplayDevice> replayed,
                      replay::open_replay(report, {.interpolate = true, .shadow_limit_bytes = limit_bytes}));
    replay::ReplayDevice& inner = *replayed;
    plan.clock = &inner.clock();
    const std::unique_ptr<replay::FaultyDevice> device = replay::inject_faults(std::move(replayed), plan);

    validate::ValidateOptions options(request);
    options.memory_limit_bytes = std::min(limit_bytes, isolate::memory_limit_bytes(report, limit_bytes, std::nullopt));
    options.time_limit_ns = limits.time_limit_ns;
    options.other_workload = std::move(other_workload);
    options.simulated_clock = &inner.clock();
    options.progress = [&progress](std::string_view text, double share) { progress.show(text, share); };
    HEAPWRIGHT_ASSIGN(model::DeviceValidation result, validate::validate(*device, policy, workload, options));
    result.replayed = true;
    for (const replay::InterpolatedRequirement& one : inner.interpolated())
        ++(one.taken_from.empty() ? result.assumed_requirements : result.interpolated_requirements);
    return result;
}

}  // namespace

std::uint64_t shadow_limit_bytes(const isolate::DeviceLimits& limits) {
    constexpr std::uint64_t kUnknownRamBytes = 512ull << 20;
    if (limits.memory_limit_bytes) return *limits.memory_limit_bytes;
    const auto available = available_ram_bytes();
    return available ? *available / 4 : kUnknownRamBytes;
}

Result<std::vector<ReplayReport>> list_reports(const std::vector<std::string>& paths) {
    HEAPWRIGHT_ASSIGN(compare::ReportSource source, compare::ReportSource::open(paths));
    std::vector<ReplayReport> reports;
    while (auto sourced = source.next()) {
        HEAPWRIGHT_TRY(check_interrupted());
        const bool named = std::ranges::find(paths, sourced->name) != paths.end();
        const auto kind = sourced->text ? model::document_kind(*sourced->text, sourced->name)
                                        : Result<model::DocumentKind>(tl::unexpected(sourced->text.error()));
        if (kind && *kind != model::DocumentKind::kReport && !named) continue;
        auto report = kind ? model::read_report(*sourced->text, sourced->name)
                           : Result<model::Report>(tl::unexpected(kind.error()));
        if (!report) {
            if (named || path_of(sourced->name).filename() != kBatchIndexFile) print_error(report.error());
            continue;
        }
        reports.push_back({.name = sourced->name, .stable_hash = model::stable_hash(*report), .devices = {}});
        for (const model::DeviceReport& device : report->devices) reports.back().devices.push_back(device.identity);
    }
    if (reports.empty()) return fail(ErrorCode::kInvalidArgument, "holds no report", paths.front());
    return reports;
}

Result<std::string> report_for(const model::Policy& policy, const std::vector<ReplayReport>& reports) {
    for (const model::SourceDocument& made_from : policy.header.sources) {
        const auto same = std::ranges::find(reports, made_from.stable_hash, &ReplayReport::stable_hash);
        if (made_from.kind == model::DocumentKind::kReport && same != reports.end()) return same->name;
    }
    const auto like =
        std::ranges::find_if(reports, [&](const ReplayReport& report) { return made_for_device_of(policy, report); });
    if (like != reports.end()) return like->name;
    if (reports.size() == 1) return reports.front().name;
    return fail(ErrorCode::kDeviceMismatch,
                fmt::format("none of the {} has a device and driver that the policy was made for",
                            counted(reports.size(), "report")),
                "--replay");
}

Result<model::Validation> replay_stage(const model::Policy& policy, const model::Workload& workload,
                                       const std::string& report_file, const std::string& fault_plan,
                                       const isolate::DeviceChoice& devices, const validate::ValidationRequest& request,
                                       const OutputOptions& output) {
    HEAPWRIGHT_ASSIGN(const Input input, read_report_text(report_file));
    HEAPWRIGHT_ASSIGN(const model::Report report, model::read_report(input.text, input.name));
    HEAPWRIGHT_ASSIGN(const std::vector<std::size_t> chosen, model::select_in_report(devices.selectors, report));
    replay::FaultPlan plan;
    if (!fault_plan.empty()) {
        HEAPWRIGHT_ASSIGN(plan, replay::parse_fault_plan(fault_plan));
    }
    Progress progress(output);
    model::Validation validation;
    validation.header.tool_version = kVersion;
    validation.header.sources = {{model::DocumentKind::kPolicy, model::stable_hash(policy)},
                                 {model::DocumentKind::kWorkload, model::stable_hash(workload)},
                                 {model::DocumentKind::kReport, model::stable_hash(report)}};
    validation.workload_name = workload.name;
    validation.run = isolate::run_facts();
    std::optional<Error> first;
    for (const model::DevicePolicy& device : policy.devices) {
        const auto made_for = std::ranges::find_if(chosen, [&](std::size_t index) {
            return request.allow_other_device ||
                   model::same_device_and_driver(report.devices[index].identity, device.identity);
        });
        if (made_for == chosen.end()) continue;
        Result<model::DeviceValidation> result =
            replay_device(report.devices[*made_for], device, workload, model::other_workload_text(policy, workload),
                          plan, devices.limits, request, progress);
        if (result) {
            validation.devices.push_back(std::move(*result));
            continue;
        }
        if (!first) first = result.error();
        validation.failures.push_back({.driver = device.identity.name,
                                       .api = device.identity.api,
                                       .device = device.identity,
                                       .last_call = result.error().where,
                                       .reason = result.error().message,
                                       .code = result.error().native_code});
    }
    if (validation.devices.empty()) {
        if (first) return fail(std::move(*first));
        return fail(
            ErrorCode::kDeviceMismatch,
            "no selected device of the report is one that the policy was made for; --allow-other-device runs it all "
            "the same",
            input.name);
    }
    return validation;
}

}  // namespace heapwright::cli
