#include "policy/creation_rules.hpp"

#include <algorithm>
#include <cmath>
#include <string_view>

#include <fmt/format.h>

#include "model/claims.hpp"

namespace heapwright::policy {

using model::claim;
using model::ClaimId;

namespace {

constexpr double kCostsTooMuch = 0.5;  // of the rate, with memoryPriority

model::Figure a_millisecond(const model::CreationPoint& point) {
    const double rate = static_cast<double>(point.pairs_per_s) / 1000;
    return model::number(rate < 10 ? std::round(rate * 100) / 100 : std::round(rate));
}

class CreationRules {
public:
    CreationRules(const Context& context, const model::CreationMeasurements& measured)
        : context_(context), measured_(measured) {}

    [[nodiscard]] std::optional<model::Decided<std::uint64_t>> threads(model::CreatedObject object) const {
        const model::CreationCurve* curve = find_curve(measured_, object, false);
        if (curve == nullptr || curve->points.empty()) return std::nullopt;
        const auto serving = std::ranges::find(curve->points, serving_threads(*curve), &model::CreationPoint::threads);
        const model::CreationPoint& alone = curve->points.front();
        const model::CreationPoint& last = curve->points.back();
        model::Decided<std::uint64_t> decided{.value = serving->threads, .why = {}};
        decided.why.inputs.push_back(cite(*curve, *serving));
        decided.why.reason = claim<ClaimId::kThreadsServe>(model::count(serving->threads), a_millisecond(*serving));
        if (!settled(*serving)) decided.why.reason += claim<ClaimId::kRateUnsettled>();
        if (serving->threads != alone.threads) {
            decided.why.reason += claim<ClaimId::kOneThreadMakes>(a_millisecond(alone));
            decided.why.inputs.push_back(cite(*curve, alone));
            decided.why.alternatives.push_back(
                {.value = model::count(alone.threads), .reason = claim<ClaimId::kThreadsLose>(a_millisecond(alone))});
        }
        if (serving->threads != last.threads) {
            decided.why.reason +=
                last.pairs_per_s < serving->pairs_per_s / 2
                    ? claim<ClaimId::kThreadsTakeTurns>(model::count(last.threads), a_millisecond(last))
                    : claim<ClaimId::kMoreThreadsGainNothing>(model::count(last.threads), a_millisecond(last));
            decided.why.inputs.push_back(cite(*curve, last));
            decided.why.alternatives.push_back(
                {.value = model::count(last.threads), .reason = claim<ClaimId::kThreadsLose>(a_millisecond(last))});
        } else {
            decided.why.reason += claim<ClaimId::kNoMoreThreadsMeasured>();
        }
        return decided;
    }

    // Of the numbers of threads that were measured both ways, the one that loses the most decides.
    [[nodiscard]] std::optional<model::Decided<bool>> memory_priority() const {
        const model::CreationPoint* worst_without = nullptr;
        const model::CreationPoint* worst_with = nullptr;
        const model::CreationCurve* curve_without = nullptr;
        const model::CreationCurve* curve_with = nullptr;
        for (const model::CreatedObject object : {model::CreatedObject::kImage, model::CreatedObject::kBuffer}) {
            const model::CreationCurve* without = find_curve(measured_, object, false);
            const model::CreationCurve* with = find_curve(measured_, object, true);
            if (without == nullptr || with == nullptr) continue;
            for (const model::CreationPoint& one : without->points) {
                const auto other = std::ranges::find(with->points, one.threads, &model::CreationPoint::threads);
                if (other == with->points.end() || one.pairs_per_s == 0) continue;
                if (worst_with != nullptr && kept(one, *other) >= kept(*worst_without, *worst_with)) continue;
                worst_without = &one;
                worst_with = &*other;
                curve_without = without;
                curve_with = with;
            }
        }
        if (worst_with == nullptr) return std::nullopt;
        const bool on = kept(*worst_without, *worst_with) >= kCostsTooMuch;
        const std::string_view what = curve_with->object == model::CreatedObject::kImage ? "images" : "buffers";
        model::Decided<bool> decided{.value = on, .why = {}};
        decided.why.inputs = {cite(*curve_without, *worst_without), cite(*curve_with, *worst_with)};
        decided.why.reason = claim<ClaimId::kPriorityRates>(
            a_millisecond(*worst_with), what, model::count(worst_with->threads), a_millisecond(*worst_without));
        if (!settled(*worst_with) || !settled(*worst_without)) decided.why.reason += claim<ClaimId::kUnsettled>();
        decided.why.reason += on ? claim<ClaimId::kPriorityIsCheap>() : claim<ClaimId::kPriorityIsDear>();
        decided.why.alternatives = {
            {.value = on ? "false" : "true",
             .reason = on ? claim<ClaimId::kPriorityOffLost>() : claim<ClaimId::kPriorityOnLost>()}};
        return decided;
    }

private:
    static double kept(const model::CreationPoint& without, const model::CreationPoint& with) {
        return static_cast<double>(with.pairs_per_s) / static_cast<double>(without.pairs_per_s);
    }

    [[nodiscard]] model::DecisionInput cite(const model::CreationCurve& curve,
                                            const model::CreationPoint& point) const {
        return context_.cite_device(fmt::format("/volatile/creations/curves/{}/points/{}/pairs_per_s",
                                                &curve - measured_.curves.data(), &point - curve.points.data()),
                                    model::count(point.pairs_per_s));
    }

    const Context& context_;
    const model::CreationMeasurements& measured_;
};

}  // namespace

std::optional<model::CreationPolicy> decide_creations(const Context& context) {
    if (!context.device.run.creations) return std::nullopt;
    const CreationRules rules(context, *context.device.run.creations);
    model::CreationPolicy policy{.image_threads = rules.threads(model::CreatedObject::kImage),
                                 .buffer_threads = rules.threads(model::CreatedObject::kBuffer),
                                 .descriptor_threads = rules.threads(model::CreatedObject::kDescriptors),
                                 .memory_priority = rules.memory_priority()};
    if (!policy.image_threads && !policy.buffer_threads && !policy.descriptor_threads) return std::nullopt;
    return policy;
}

}  // namespace heapwright::policy
