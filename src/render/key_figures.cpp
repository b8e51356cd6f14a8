#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <optional>
#include <utility>

#include "core/text.hpp"
#include "render/detail/device_parts.hpp"
#include "render/detail/policy_rows.hpp"

namespace heapwright::render::detail {
namespace {

constexpr std::uint64_t kNoLimit = 0xFFFFFFFFu;  // what drivers state that count none
constexpr const char* kLower = "lower is better";

const model::Promise* promise_of(const model::ScenarioResult& run, model::PromiseKind kind) {
    const auto found = std::ranges::find(run.run.promises, model::PromiseName{kind}, &model::Promise::name);
    return found == run.run.promises.end() ? nullptr : &*found;
}

// VMA's default on the same operations; where that did not run, the first baseline of the workload.
const model::ScenarioResult* beside(const model::DeviceValidation& validation, std::string_view scenario) {
    const model::ScenarioResult* first = nullptr;
    for (const model::ScenarioResult& baseline : validation.baselines) {
        if (!baseline.name.starts_with(scenario) || baseline.memory.peak_reserved_bytes == 0) continue;
        if (model::baseline_of(baseline) == model::Baseline::kVmaDefault) return &baseline;
        if (first == nullptr) first = &baseline;
    }
    return first;
}

void add_beside(KeyFigure& figure, const std::string& more) {
    if (more.empty()) return;
    figure.beside += (figure.beside.empty() ? "" : "; ") + more;
}

void judge(KeyFigure& figure, const model::Promise* promise) {
    if (promise == nullptr) return;
    const auto [standing, kept] = [&]() -> std::pair<Standing, std::string> {
        switch (promise->verdict) {
            case model::PromiseVerdict::kKept: return {Standing::kGood, "kept"};
            case model::PromiseVerdict::kLoose: return {Standing::kGood, "loose, it is better"};
            case model::PromiseVerdict::kBroken: return {Standing::kBad, "broken"};
            case model::PromiseVerdict::kNotTested: break;
        }
        return {Standing::kDoubtful, "not tested, " + promise->reason};
    }();
    figure.standing = standing;
    add_beside(figure, fmt::format("promised {}: {}", bounds_text(*promise), kept));
}

// "2.8 times less than VMA's default, 27.9%".
std::string against(double own, double other, std::string_view name, std::string_view text) {
    if (own <= 0 || other <= 0) return fmt::format("{}: {}", name, text);
    const double ratio = std::max(own, other) / std::min(own, other);
    if (ratio < 1.05) return fmt::format("about as much as {}, {}", name, text);
    const double told = ratio < 10 ? std::round(ratio * 10) / 10 : std::round(ratio);
    return fmt::format("{} times {} than {}, {}", told, own < other ? "less" : "more", name, text);
}

// What device allocations count against: the driver's limit, without a report what the policy leaves to the program.
std::string allocations_limit(const DeviceParts& parts, std::uint64_t count) {
    const auto limit =
        parts.report == nullptr ? std::optional<std::uint64_t>{} : parts.report->limit("maxMemoryAllocationCount");
    if (limit && *limit >= kNoLimit) return "the device sets no limit";
    if (limit && *limit != 0)
        return fmt::format("{} of the {} that the device allows",
                           share_text(static_cast<double>(count) / static_cast<double>(*limit)), *limit);
    return parts.policy == nullptr ? "" : fmt::format("the policy allows {}", parts.policy->max_chunks.value);
}

// "limits: 2.083 ms a bucket, 16.67 ms a frame".
std::string frame_limit(const model::DevicePolicy& policy) {
    const auto bucket_ns = bucket_frame_ns(policy);
    const std::string frame = time_text(policy.frame_budget_ns);
    return bucket_ns ? fmt::format("limits: {} a bucket, {} a frame", time_text(*bucket_ns), frame)
                     : fmt::format("a frame has {}", frame);
}

// Measured on a device, or by a replay.
void tell_measured(const DeviceParts& parts, const model::ScenarioResult& run, std::vector<KeyFigure>& figures) {
    KeyFigure waste{.name = "Waste", .note = kLower, .value = share_text(run.memory.mean_waste)};
    KeyFigure frame{.name = "Worst frame", .note = kLower, .value = time_text(run.run.worst_frame_ns)};
    KeyFigure allocations{.name = "Device allocations", .value = std::to_string(run.counts.device_allocations)};
    add_beside(allocations, allocations_limit(parts, run.counts.device_allocations));
    if (const model::ScenarioResult* baseline = beside(*parts.validation, run.name)) {
        const std::string name = baseline_label(*baseline);
        add_beside(waste, against(run.memory.mean_waste, baseline->memory.mean_waste, name,
                                  share_text(baseline->memory.mean_waste)));
        add_beside(frame, against(static_cast<double>(run.run.worst_frame_ns),
                                  static_cast<double>(baseline->run.worst_frame_ns), name,
                                  time_text(baseline->run.worst_frame_ns)));
        add_beside(allocations, fmt::format("{}: {}", name, baseline->counts.device_allocations));
    } else {
        add_beside(waste, "no other allocator ran beside it (validate --baselines)");
    }
    if (parts.policy != nullptr) add_beside(frame, frame_limit(*parts.policy));
    judge(waste, promise_of(run, model::PromiseKind::kMeanWaste));
    judge(frame, promise_of(run, model::PromiseKind::kWorstFrameNs));
    judge(allocations, promise_of(run, model::PromiseKind::kDeviceAllocations));
    figures = {std::move(waste), std::move(frame), std::move(allocations)};
}

// What a policy expects, where nothing was measured.
void tell_expected(const model::DevicePolicy& policy, std::vector<KeyFigure>& figures) {
    KeyFigure waste{.name = "Waste", .note = kLower, .beside = "the policy promises none"};
    KeyFigure frame{
        .name = "Worst frame", .note = kLower, .beside = "the policy promises none: the report has no cost curve"};
    KeyFigure allocations{.name = "Device allocations", .beside = "the policy promises none"};
    if (const auto& expected = policy.expectations) {
        std::string how = "expected, not measured";
        if (expected->failed_requests)
            how += fmt::format("; {} without memory", counted(*expected->failed_requests, "request"));
        waste.value = share_text(expected->mean_waste.value);
        waste.beside = how;
        allocations.value = std::to_string(expected->device_allocations.value);
        allocations.beside = how;
        if (expected->worst_frame_ns) {
            frame.value = time_text(expected->worst_frame_ns->value);
            frame.beside = how;
            add_beside(frame, frame_limit(policy));
        }
    }
    figures = {std::move(waste), std::move(frame), std::move(allocations)};
}

// What a report alone says of a device's memory.
void tell_report_figures(const model::DeviceReport& report, std::vector<KeyFigure>& figures) {
    std::uint64_t local = 0;
    for (const model::MemoryHeap& heap : report.heaps)
        if ((heap.flags & model::memory_heap::kDeviceLocal) != 0) local += heap.size_bytes;
    figures.push_back({.name = "Device memory",
                       .value = local == 0 ? "" : byte_text(local),
                       .beside = local == 0 ? "no heap is device local" : "in device local heaps"});
    KeyFigure count{.name = "Device allocations", .beside = "the report states no limit"};
    if (const auto limit = report.limit("maxMemoryAllocationCount")) {
        count.value = *limit >= kNoLimit ? "no limit" : std::to_string(*limit);
        count.beside = "at once, as the driver states";
    }
    figures.push_back(std::move(count));
    KeyFigure cost{.name = "An allocation takes", .beside = "not measured"};
    for (const model::MemoryCostCurve& curve : report.run.memory_cost) {
        if (curve.points.empty()) continue;
        const model::MemoryCostPoint& most = curve.points.back();
        cost.value = time_text(most.allocate_ns);
        cost.beside = fmt::format("{} of memory type {}", byte_text(most.size_bytes), curve.memory_type);
        break;
    }
    figures.push_back(std::move(cost));
}

}  // namespace

std::string baseline_label(const model::ScenarioResult& baseline) {
    const auto kind = model::baseline_of(baseline);
    if (!kind) return baseline.name;
    switch (*kind) {
        case model::Baseline::kVmaDefault: return "VMA's default";
        case model::Baseline::kOneEach: return "One allocation each";
        case model::Baseline::kSourceRule: return "The article's rule";
        default: return std::string(name_of(*kind));
    }
}

std::vector<KeyFigure> key_figures(const DeviceParts& parts) {
    std::vector<KeyFigure> figures;
    const model::ScenarioResult* run =
        parts.validation != nullptr && !parts.ran_another_policy ? model::workload_run(*parts.validation) : nullptr;
    if (run != nullptr && run->memory.peak_reserved_bytes != 0) {
        tell_measured(parts, *run, figures);
    } else if (parts.policy != nullptr) {
        tell_expected(*parts.policy, figures);
    } else if (parts.report != nullptr) {
        tell_report_figures(*parts.report, figures);
    }
    return figures;
}

}  // namespace heapwright::render::detail
