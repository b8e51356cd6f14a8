#include "heapwright/policy/dedicated_rule.hpp"

#include <fmt/format.h>

#include <cmath>

#include "heapwright/contract/bucket_choice.hpp"
#include "heapwright/core/count_text.hpp"

namespace heapwright::policy {

model::Decided<model::DedicatedRule> decide_dedicated(std::span<const PlacedDemand> placed,
                                                      const model::Decided<std::uint64_t>& max_chunks) {
    double preferred = 0;
    double required = 0;
    const Demand* example = nullptr;
    for (const PlacedDemand& entry : placed) {
        const model::Dedicated dedicated = entry.demand->requirements.dedicated;
        if (dedicated == model::Dedicated::kPreferred) {
            preferred += entry.demand->count;
            if (example == nullptr) example = entry.demand;
        }
        if (dedicated == model::Dedicated::kRequired) required += entry.demand->count;
    }
    const auto all = saturating_bytes(std::ceil(preferred + required));
    const std::uint64_t room = max_chunks.value / 2;

    model::Decided<model::DedicatedRule> decided;
    decided.why.inputs = max_chunks.why.inputs;
    const std::string figures = fmt::format(
        "the workload has {} for which the driver prefers a dedicated allocation and {} for which it "
        "requires one, and half of the {} is open to them",
        counted(saturating_bytes(std::ceil(preferred)), "resource"), saturating_bytes(std::ceil(required)),
        counted(max_chunks.value, "device allocation"));
    if (all <= room) {
        decided.value = model::DedicatedRule::kWhenPreferred;
        decided.why.reason = figures + ": follow the driver, which knows what a dedicated allocation lets it optimise";
        decided.why.alternatives.push_back(
            {.value = "when_required",
             .reason = "gives up what the driver gains and saves allocations that are not short"});
    } else {
        decided.value = model::DedicatedRule::kWhenRequired;
        decided.why.reason = figures + ": too few, so only what the driver requires gets one";
        decided.why.alternatives.push_back(
            {.value = "when_preferred", .reason = fmt::format("{} dedicated allocations are more than {}", all, room)});
    }
    if (example != nullptr) decided.why.reason += fmt::format(" (for one, {})", example->what);
    return decided;
}

bool is_dedicated(const model::MemoryRequirements& requirements, model::DedicatedRule rule) {
    return contract::follows_driver(requirements.dedicated, rule);
}

}  // namespace heapwright::policy
