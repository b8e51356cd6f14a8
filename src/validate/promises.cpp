#include "heapwright/validate/promises.hpp"

#include <algorithm>
#include <cmath>
#include <optional>
#include <string_view>
#include <utility>

#include <fmt/format.h>

#include "heapwright/core/byte_text.hpp"
#include "heapwright/core/count_text.hpp"

namespace heapwright::validate {
namespace {

model::Promise judged(std::string name, double predicted, std::optional<double> measured, double most,
                      std::string tolerance, std::string untested) {
    model::Promise promise{.name = std::move(name),
                           .predicted = predicted,
                           .measured = measured,
                           .most = most,
                           .tolerance = std::move(tolerance),
                           .reason = std::move(untested)};
    if (promise.reason.empty() && !measured) promise.reason = "not measured";
    if (promise.reason.empty())
        promise.verdict = *measured <= most ? model::PromiseVerdict::kKept : model::PromiseVerdict::kBroken;
    return promise;
}

std::string steadiness_text(const model::ScenarioResult& result) {
    const auto& steadiness = result.run.steadiness;
    if (!steadiness) return "nothing says whether the times were steady";
    switch (steadiness->answer) {
        case model::Steadiness::kSteady: return {};
        case model::Steadiness::kDidNotSettle: return "the times did not settle";
        case model::Steadiness::kTooFewSamples: return "too few frames to say whether the times were steady";
    }
    return {};
}

std::uint64_t largest_chunk_bytes(const model::DevicePolicy& policy, const model::DeviceReport* device,
                                  std::uint32_t heap) {
    std::uint64_t largest = 0;
    for (const model::BucketPolicy& bucket : policy.buckets) {
        const bool is_known = device != nullptr && bucket.memory_type < device->memory_types.size();
        if (is_known && device->memory_types[bucket.memory_type].heap_index == heap)
            largest = std::max(largest, bucket.chunk_size_bytes.value);
    }
    return largest;
}

std::string figure_text(std::string_view name, double value) {
    if (name == "mean_waste") return fmt::format("{:.1f}%", value * 100);
    if (name.ends_with("_ns")) return fmt::format("{:.3f} ms", value / 1e6);
    if (name.starts_with("peak_reserved_bytes")) return byte_text(static_cast<std::uint64_t>(value));
    return fmt::format("{:.0f}", value);
}

std::string bound_text(const model::Promise& promise) {
    return fmt::format("at most {} ({}, {})", figure_text(promise.name, promise.most),
                       figure_text(promise.name, promise.predicted), promise.tolerance);
}

}  // namespace

std::vector<model::Promise> judge_promises(const model::DevicePolicy& policy, const model::ScenarioResult& result,
                                           const PromiseFacts& facts) {
    if (!policy.expectations) return {};
    const model::Expectations& expected = *policy.expectations;
    const std::string untested_times = facts.untested.empty() ? facts.untested_times : facts.untested;
    std::vector<model::Promise> promises;
    const double waste = expected.mean_waste.value;
    const double worst_waste = std::max(waste, expected.largest_mean_waste.value_or(waste));
    promises.push_back(
        judged("mean_waste", waste, result.memory.mean_waste, worst_waste + 0.02,
               worst_waste > waste ? "2 percentage points more than the worst seed played" : "2 percentage points more",
               facts.untested));
    const auto allocations = static_cast<double>(expected.device_allocations.value);
    promises.push_back(judged("device_allocations", allocations, static_cast<double>(result.counts.device_allocations),
                              std::floor(std::max(allocations * 1.15, allocations + 2)), "1.15 times, at least 2 more",
                              facts.untested));
    const auto add_time = [&](const char* name, const std::optional<model::Decided<std::uint64_t>>& predicted,
                              std::optional<std::uint64_t> measured) {
        if (!predicted) return;
        const auto value = static_cast<double>(predicted->value);
        promises.push_back(judged(name, value, measured ? std::optional(static_cast<double>(*measured)) : std::nullopt,
                                  value * 1.5, "1.5 times",
                                  untested_times.empty() ? steadiness_text(result) : untested_times));
    };
    add_time("worst_frame_ns", expected.worst_frame_ns, result.run.worst_frame_ns);
    add_time("worst_load_ns", expected.worst_load_ns, result.run.worst_load_ns);
    if (expected.late_chunks) {
        const auto value = static_cast<double>(expected.late_chunks->value);
        const auto& ahead = result.run.prepared_chunks;
        promises.push_back(judged("late_chunks", value,
                                  ahead ? std::optional(static_cast<double>(ahead->taken_late)) : std::nullopt,
                                  value * 1.5 + 2, "1.5 times and 2 more", untested_times));
    }
    for (const model::HeapExpectation& heap : expected.heaps) {
        const auto value = static_cast<double>(heap.peak_reserved_bytes.value);
        const auto chunk = static_cast<double>(largest_chunk_bytes(policy, facts.device, heap.heap));
        const bool is_there = heap.heap < facts.peak_reserved_bytes.size();
        promises.push_back(
            judged(fmt::format("peak_reserved_bytes/{}", heap.heap), value,
                   is_there ? std::optional(static_cast<double>(facts.peak_reserved_bytes[heap.heap])) : std::nullopt,
                   value * 1.15 + chunk, "1.15 times and one chunk", facts.untested));
    }
    return promises;
}

bool is_matter_of_time(const model::Promise& promise) {
    return promise.name.ends_with("_ns") || promise.name == "late_chunks";
}

std::string measured_text(const model::Promise& promise) {
    return promise.measured ? figure_text(promise.name, *promise.measured) : "no figure";
}

std::vector<std::string> promise_lines(const std::vector<model::Promise>& promises) {
    std::vector<std::string> lines;
    for (const model::Promise& promise : promises) {
        std::string line = fmt::format("promise {}: ", promise.name);
        switch (promise.verdict) {
            case model::PromiseVerdict::kKept: line += promise.reason.empty() ? "kept" : promise.reason; break;
            case model::PromiseVerdict::kBroken: line += "broken"; break;
            case model::PromiseVerdict::kNotTested: line += "not tested, " + promise.reason; break;
        }
        lines.push_back(fmt::format("{}: {}, {}", line, measured_text(promise), bound_text(promise)));
    }
    return lines;
}

std::string broken_text(const std::vector<model::Promise>& promises) {
    std::string text;
    std::uint64_t broken = 0;
    for (const model::Promise& promise : promises) {
        if (promise.verdict != model::PromiseVerdict::kBroken) continue;
        text += fmt::format("{}{} {}, {}", broken++ == 0 ? "" : "; ", promise.name, measured_text(promise),
                            bound_text(promise));
    }
    return broken == 0 ? "" : fmt::format("{} broken: {}", counted(broken, "promise"), text);
}

}  // namespace heapwright::validate
