#include "heapwright/policy/learned.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <optional>
#include <string>
#include <string_view>

#include "heapwright/policy/context.hpp"

namespace heapwright::policy {
namespace {

constexpr double kSame = 0.1;  // figures that are nearer than this share are the same
constexpr double kMostFactor = 8;
constexpr std::string_view kScenario = "mixed-workload";  // plays the workload as the policy foresees it

std::optional<double> measured_promise(const model::DeviceValidation& validation, std::string_view name) {
    for (const model::ScenarioResult& scenario : validation.scenarios) {
        if (scenario.name != kScenario || scenario.stand_in) continue;
        for (const model::Promise& promise : scenario.run.promises) {
            if (promise.name == name && promise.verdict != model::PromiseVerdict::kNotTested) return promise.measured;
        }
    }
    return std::nullopt;
}

bool is_same(double measured, double predicted) {
    return std::abs(measured - predicted) <= kSame * std::max(std::abs(measured), std::abs(predicted));
}

// `text` of a figure: how the reason writes it.
template <class T, class Text>
void learn(model::Decided<T>& decided, const model::DeviceValidation& validation, std::string_view name,
           const Text& text) {
    const auto measured = measured_promise(validation, name);
    if (!measured || is_same(*measured, static_cast<double>(decided.value))) return;
    decided.why.alternatives.push_back({.value = text(static_cast<double>(decided.value)),
                                        .reason = "what was predicted: " + decided.why.reason});
    decided.why.reason = fmt::format("measured by an earlier validation on this device, where {} was predicted",
                                     text(static_cast<double>(decided.value)));
    if constexpr (std::is_same_v<T, double>)
        decided.value = *measured;
    else
        decided.value = saturating_bytes(std::ceil(*measured));
}

}  // namespace

double learned_cost_factor(const model::Expectations& unlearned, const model::DeviceValidation& validation) {
    const auto measured = measured_promise(validation, "worst_frame_ns");
    if (!measured || !unlearned.worst_frame_ns || unlearned.worst_frame_ns->value == 0) return 1;
    const auto predicted = static_cast<double>(unlearned.worst_frame_ns->value);
    if (is_same(*measured, predicted)) return 1;
    return std::clamp(*measured / predicted, 1 / kMostFactor, kMostFactor);
}

void learn_promises(model::Expectations& expected, const model::DeviceValidation& validation) {
    const auto share = [](double value) { return fmt::format("{:.1f}%", 100 * value); };
    const auto count = [](double value) { return fmt::format("{:.0f}", value); };
    const auto time = [](double value) { return fmt::format("{:.0f} ns", value); };
    const auto bytes = [](double value) { return fmt::format("{:.0f} bytes", value); };
    learn(expected.mean_waste, validation, "mean_waste", share);
    learn(expected.device_allocations, validation, "device_allocations", count);
    if (expected.worst_load_ns) learn(*expected.worst_load_ns, validation, "worst_load_ns", time);
    if (expected.late_chunks) learn(*expected.late_chunks, validation, "late_chunks", count);
    for (model::HeapExpectation& heap : expected.heaps)
        learn(heap.peak_reserved_bytes, validation, fmt::format("peak_reserved_bytes/{}", heap.heap), bytes);
}

}  // namespace heapwright::policy
