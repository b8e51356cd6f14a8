#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "heapwright/core/byte_text.hpp"
#include "heapwright/core/count_text.hpp"
#include "heapwright/core/share_text.hpp"
#include "heapwright/core/time_text.hpp"
#include "heapwright/render/detail/device_parts.hpp"

namespace heapwright::render::detail {
namespace {

const model::Promise* promise_of(const model::ScenarioResult& run, model::PromiseKind kind) {
    const auto found = std::ranges::find(run.run.promises, model::PromiseName{kind}, &model::Promise::name);
    return found == run.run.promises.end() ? nullptr : &*found;
}

// VMA's default on the same operations; where that did not run, the first baseline of the workload.
const model::ScenarioResult* baseline_of(const model::DeviceValidation& validation, std::string_view scenario) {
    const model::ScenarioResult* first = nullptr;
    for (const model::ScenarioResult& baseline : validation.baselines) {
        if (!baseline.name.starts_with(scenario) || baseline.memory.peak_reserved_bytes == 0) continue;
        if (baseline.name.ends_with("/vma-default")) return &baseline;
        if (first == nullptr) first = &baseline;
    }
    return first;
}

void judge(KeyFigure& figure, const model::Promise* promise) {
    if (promise == nullptr) return;
    figure.beside = fmt::format("promised {}: ", bounds_text(*promise));
    switch (promise->verdict) {
        case model::PromiseVerdict::kKept:
            figure.standing = Standing::kGood;
            figure.beside += "kept";
            break;
        case model::PromiseVerdict::kLoose:
            figure.standing = Standing::kGood;
            figure.beside += "loose, it is better";
            break;
        case model::PromiseVerdict::kBroken:
            figure.standing = Standing::kBad;
            figure.beside += "broken";
            break;
        case model::PromiseVerdict::kNotTested:
            figure.standing = Standing::kDoubtful;
            figure.beside += "not tested, " + promise->reason;
            break;
    }
}

void add_beside(KeyFigure& figure, const std::string& more) {
    figure.beside += (figure.beside.empty() ? "" : "; ") + more;
}

// Measured on a device, or by a replay.
void tell_measured(const DeviceParts& parts, const model::ScenarioResult& run, std::vector<KeyFigure>& figures) {
    const model::ScenarioResult* baseline = baseline_of(*parts.validation, run.name);
    KeyFigure waste{.name = "Waste", .value = share_text(run.memory.mean_waste), .beside = {}};
    judge(waste, promise_of(run, model::PromiseKind::kMeanWaste));
    KeyFigure frame{.name = "Worst frame", .value = time_text(run.run.worst_frame_ns), .beside = {}};
    judge(frame, promise_of(run, model::PromiseKind::kWorstFrameNs));
    if (parts.policy != nullptr)
        add_beside(frame, fmt::format("a frame has {}", time_text(parts.policy->frame_budget_ns)));
    KeyFigure allocations{
        .name = "Device allocations", .value = std::to_string(run.counts.device_allocations), .beside = {}};
    judge(allocations, promise_of(run, model::PromiseKind::kDeviceAllocations));
    if (baseline != nullptr) {
        const std::string name = baseline_label(*baseline);
        add_beside(waste, fmt::format("{}: {}", name, share_text(baseline->memory.mean_waste)));
        add_beside(frame, fmt::format("{}: {}", name, time_text(baseline->run.worst_frame_ns)));
        add_beside(allocations, fmt::format("{}: {}", name, baseline->counts.device_allocations));
    } else {
        add_beside(waste, "no other allocator ran beside it (validate --baselines)");
    }
    figures = {std::move(waste), std::move(frame), std::move(allocations)};
}

// What a policy expects, where nothing was measured.
void tell_expected(const model::DevicePolicy& policy, std::vector<KeyFigure>& figures) {
    KeyFigure waste{.name = "Waste", .value = {}, .beside = "the policy promises none"};
    KeyFigure frame{
        .name = "Worst frame", .value = {}, .beside = "the policy promises none: the report has no cost curve"};
    KeyFigure allocations{.name = "Device allocations", .value = {}, .beside = "the policy promises none"};
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
            frame.beside = fmt::format("{}; a frame has {}", how, time_text(policy.frame_budget_ns));
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
    KeyFigure count{.name = "Device allocations", .value = {}, .beside = "the report states no limit"};
    if (const auto limit = report.limit("maxMemoryAllocationCount")) {
        count.value = *limit >= 0xFFFFFFFFu ? "no limit" : std::to_string(*limit);
        count.beside = "at once, as the driver states";
    }
    figures.push_back(std::move(count));
    KeyFigure cost{.name = "An allocation takes", .value = {}, .beside = "not measured"};
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
    const std::string name = baseline.name.substr(baseline.name.rfind('/') + 1);
    if (name == "vma-default") return "VMA's default";
    if (name == "one-each") return "One allocation each";
    if (name == "source-rule") return "The article's rule";
    return name;
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
