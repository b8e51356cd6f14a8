#include "heapwright/policy/dedicated_rule.hpp"

#include <cmath>

#include "heapwright/contract/bucket_choice.hpp"
#include "heapwright/model/claims.hpp"
#include "heapwright/policy/allocation_cost.hpp"
#include "heapwright/policy/chunk_limits.hpp"

namespace heapwright::policy {

using model::claim;
using model::ClaimId;

namespace {

// What one frame pays for the allocations that the driver prefers for resources that live no longer.
double preferred_frame_ns(const Context& context, std::span<const PlacedDemand> placed) {
    double sum = 0;
    for (const PlacedDemand& entry : placed) {
        const Demand& demand = *entry.demand;
        if (demand.lifetime != model::Lifetime::kFrame || demand.requirements.dedicated != model::Dedicated::kPreferred)
            continue;
        const AllocationCost cost(context, entry.memory_type);
        const std::uint64_t bytes = saturating_bytes(demand.mean_bytes);
        sum += demand.count * (cost.allocate_ns(bytes) + cost.free_ns(bytes));
    }
    return sum;
}

}  // namespace

model::Decided<model::DedicatedRule> decide_dedicated(const Context& context, std::span<const PlacedDemand> placed,
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
    model::Statement figures = claim<ClaimId::kDedicatedWishes>(model::count(saturating_bytes(std::ceil(preferred))),
                                                                model::count(saturating_bytes(std::ceil(required))));
    figures += claim<ClaimId::kDedicatedOpen>(model::count(max_chunks.value));
    const double frame_ns = preferred_frame_ns(context, placed);
    const auto budget_ns = static_cast<double>(context.workload.frame_budget_ns);
    if (frame_ns * kFrameBudgetParts > budget_ns) {
        decided.value = model::DedicatedRule::kWhenRequired;
        decided.why.reason =
            claim<ClaimId::kDedicatedFrame>(model::nanoseconds(frame_ns), model::nanoseconds(budget_ns));
        decided.why.inputs.push_back(context.cite_workload("/frame_budget_ns", model::nanoseconds(budget_ns)));
        decided.why.alternatives.push_back({.value = "when_preferred",
                                            .reason = claim<ClaimId::kDedicatedFrameLost>(
                                                model::nanoseconds(frame_ns), model::count(kFrameBudgetParts))});
    } else if (all <= room) {
        decided.value = model::DedicatedRule::kWhenPreferred;
        decided.why.reason = claim<ClaimId::kDedicatedFollowed>();
        decided.why.alternatives.push_back(
            {.value = "when_required", .reason = claim<ClaimId::kDedicatedRequiredLost>()});
    } else {
        decided.value = model::DedicatedRule::kWhenRequired;
        decided.why.reason = claim<ClaimId::kDedicatedTooFew>();
        decided.why.alternatives.push_back(
            {.value = "when_preferred",
             .reason = claim<ClaimId::kDedicatedTooMany>(model::count(all), model::count(room))});
    }
    decided.why.reason += figures;
    if (example != nullptr) decided.why.reason += claim<ClaimId::kDedicatedExample>(example->what);
    return decided;
}

}  // namespace heapwright::policy
