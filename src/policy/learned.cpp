#include "policy/learned.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <optional>
#include <type_traits>

#include "model/claims.hpp"
#include "model/workload_identity.hpp"
#include "policy/context.hpp"

namespace heapwright::policy {

using model::claim;
using model::ClaimId;

namespace {

constexpr double kSame = 0.1;  // figures that are nearer than this share are the same
constexpr double kMostFactor = 8;

// Nullptr where it was not measured.
const model::Promise* find_promise(const model::DeviceValidation& validation, const model::PromiseName& name) {
    const model::ScenarioResult* const played = model::workload_run(validation);
    if (played == nullptr || played->stand_in) return nullptr;
    for (const model::Promise& promise : played->run.promises) {
        const bool is_tested = promise.verdict != model::PromiseVerdict::kNotTested && promise.measured;
        if (promise.name == name && is_tested) return &promise;
    }
    return nullptr;
}

bool is_same(double measured, double predicted) {
    return std::abs(measured - predicted) <= kSame * std::max(std::abs(measured), std::abs(predicted));
}

template <class T>
void learn(model::Decided<T>& decided, std::optional<model::Interval>& interval, const model::Promise* promise) {
    if (promise == nullptr || is_same(*promise->measured, static_cast<double>(decided.value))) return;
    const model::Figure predicted = model::figure_of(*promise, static_cast<double>(decided.value));
    model::Statement lost = claim<ClaimId::kPredicted>();
    lost += decided.why.reason;
    decided.why.alternatives.push_back({.value = predicted, .reason = std::move(lost)});
    decided.why.reason = claim<ClaimId::kLearned>(predicted);
    if (interval) {
        // As wide as before, about what was measured.
        const double reach = (interval->most - interval->least) / 2;
        *interval = {.least = std::max(0.0, *promise->measured - reach), .most = *promise->measured + reach};
    }
    if constexpr (std::is_same_v<T, double>)
        decided.value = *promise->measured;
    else
        decided.value = saturating_bytes(std::ceil(*promise->measured));
}

}  // namespace

Status check_teaches(const model::Validation& validation, const model::Workload& workload) {
    const model::WorkloadIdentity played = model::workload_of(validation);
    const model::WorkloadIdentity wanted = model::workload_of(workload);
    if (!model::are_different(played, wanted)) return {};
    return fail(ErrorCode::kInvalidArgument,
                fmt::format("it played {}, and the policy is to be for {}", model::told_from(played, wanted),
                            model::told_from(wanted, played)),
                "validation");
}

Result<double> learned_cost_factor(const model::DeviceValidation& validation,
                                   const std::function<Result<model::DevicePolicy>(double)>& advise_at) {
    const model::Promise* const frame = find_promise(validation, {model::PromiseKind::kWorstFrameNs});
    if (frame == nullptr || frame->predicted <= 0 || *frame->measured <= 0) return 1.0;
    std::optional<double> earlier;
    std::optional<double> other;
    for (const double factor : {1.0, 2.0, 4.0, 8.0, 0.5, 0.25, 0.125}) {
        HEAPWRIGHT_ASSIGN(const model::DevicePolicy policy, advise_at(factor));
        if (!policy.expectations || !policy.expectations->worst_frame_ns) return 1.0;
        const auto promised = static_cast<double>(policy.expectations->worst_frame_ns->value);
        if (!earlier && promised == frame->predicted)
            earlier = factor;
        else
            other = promised;
        if (earlier && other) break;
    }
    // A frame that hardly calls the device says nothing of what its calls take.
    if (earlier && is_same(*other, frame->predicted)) return *earlier;
    const double ratio = *frame->measured / frame->predicted;
    return std::clamp(earlier.value_or(1) * std::exp2(std::round(std::log2(ratio))), 1 / kMostFactor, kMostFactor);
}

void learn_promises(model::Expectations& expected, const model::DeviceValidation& validation) {
    model::for_each_promise(expected, [&](const model::PromiseName& name, auto& decided, auto& interval) {
        if (name.kind != model::PromiseKind::kWorstFrameNs) learn(decided, interval, find_promise(validation, name));
    });
}

}  // namespace heapwright::policy
