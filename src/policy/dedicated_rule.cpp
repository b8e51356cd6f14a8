#include "heapwright/policy/dedicated_rule.hpp"

#include <fmt/format.h>

#include <cmath>

#include "heapwright/contract/bucket_choice.hpp"
#include "heapwright/core/count_text.hpp"
#include "heapwright/policy/allocation_cost.hpp"
#include "heapwright/policy/chunk_limits.hpp"

namespace heapwright::policy {
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
    const std::string figures = fmt::format(
        "the workload has {} for which the driver prefers a dedicated allocation and {} for which it "
        "requires one, and half of the {} is open to them",
        counted(saturating_bytes(std::ceil(preferred)), "resource"), saturating_bytes(std::ceil(required)),
        counted(max_chunks.value, "device allocation"));
    const double frame_ns = preferred_frame_ns(context, placed);
    const auto budget_ns = static_cast<double>(context.workload.frame_budget_ns);
    if (frame_ns * kFrameBudgetParts > budget_ns) {
        decided.value = model::DedicatedRule::kWhenRequired;
        decided.why.reason = fmt::format(
            "targets that live for a frame share chunks: memory of their own would cost every frame {:.2f} ms of its "
            "{:.2f} ms; {}",
            frame_ns / 1e6, budget_ns / 1e6, figures);
        decided.why.inputs.push_back(
            context.cite_workload("/frame_budget_ns", std::to_string(context.workload.frame_budget_ns)));
        decided.why.alternatives.push_back(
            {.value = "when_preferred",
             .reason = fmt::format("{:.2f} ms of device memory calls in every frame, more than 1/{} of its budget",
                                   frame_ns / 1e6, kFrameBudgetParts)});
    } else if (all <= room) {
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

}  // namespace heapwright::policy
