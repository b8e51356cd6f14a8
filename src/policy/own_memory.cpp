#include "policy/own_memory.hpp"

#include <algorithm>
#include <cmath>

#include "contract/bucket_choice.hpp"
#include "contract/feasibility.hpp"
#include "core/units.hpp"
#include "model/claims.hpp"
#include "policy/allocation_cost.hpp"
#include "policy/bucket_search.hpp"

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

namespace {

// From 1 MiB; nothing is allocated in less.
std::uint64_t affordable_bytes(const AllocationCost& cost, double budget_ns, std::uint64_t most) {
    std::uint64_t bytes = kMiB;
    while (bytes < most && cost.allocate_ns(bytes * 2) <= budget_ns) bytes *= 2;
    return bytes;
}

}  // namespace

model::Decided<std::uint64_t> decide_humongous(const Context& context, const model::DevicePolicy& policy,
                                               const LargestOrdinary& largest) {
    model::Decided<std::uint64_t> decided;
    std::uint64_t chunk = largest.bound_bytes;
    model::Statement bounds = claim<ClaimId::kBoundByImage>(model::bytes(chunk));
    const auto device_only =
        std::ranges::find(policy.memory_uses, model::MemoryUse::kDeviceOnly, &model::MemoryUsePolicy::use);
    if (device_only != policy.memory_uses.end() && !device_only->memory_types.value.empty()) {
        const std::uint32_t type = device_only->memory_types.value.front();
        const model::HeapPolicy& heap = policy.heaps[context.device.memory_types[type].heap_index];
        const std::uint64_t of_heap = heap.usable_bytes.value / contract::kFewestChunks;
        bounds += claim<ClaimId::kBoundByHeap>(model::count(heap.heap), model::bytes(heap.usable_bytes.value),
                                               model::bytes(of_heap));
        chunk = std::min(chunk, of_heap);
        decided.why.inputs = heap.usable_bytes.why.inputs;
        const AllocationCost cost(context, type);
        const auto frame_ns = static_cast<double>(context.workload.frame_budget_ns);
        const std::uint64_t affordable =
            affordable_bytes(cost, frame_ns / static_cast<double>(kFrameBudgetParts), chunk);
        bounds += claim<ClaimId::kBoundByFrame>(model::count(kFrameBudgetParts), model::nanoseconds(frame_ns),
                                                model::count(type), model::bytes(affordable));
        bounds += cost.source();
        chunk = std::min(chunk, affordable);
        decided.why.inputs.push_back(context.cite_workload("/frame_budget_ns", model::nanoseconds(frame_ns)));
    }
    if (const auto limit = find_limit(context, "maxMemoryAllocationSize", {}, model::Unit::kBytes)) {
        bounds += claim<ClaimId::kBoundByLimit>("maxMemoryAllocationSize", model::bytes(limit->value));
        chunk = std::min(chunk, limit->value);
        decided.why.inputs.push_back(limit->input);
    }
    const std::uint64_t ordinary = largest.bytes.value;
    decided.value = std::max(chunk, ordinary);
    decided.why.reason =
        chunk < ordinary ? claim<ClaimId::kHumongousRaised>(model::bytes(ordinary)) : claim<ClaimId::kHumongousAbove>();
    decided.why.reason += claim<ClaimId::kHumongousBetween>();
    if (chunk >= ordinary) decided.why.reason += claim<ClaimId::kHumongousNotBelow>(model::bytes(ordinary));
    decided.why.reason += bounds;
    for (const model::DecisionInput& input : largest.deciding_inputs) {
        if (std::ranges::find(decided.why.inputs, input.path, &model::DecisionInput::path) == decided.why.inputs.end())
            decided.why.inputs.push_back(input);
    }
    if (chunk < ordinary) {
        decided.why.alternatives.push_back(
            {.value = model::bytes(chunk), .reason = claim<ClaimId::kOrdinaryIsLarger>()});
    } else if (chunk > ordinary) {
        decided.why.alternatives.push_back(
            {.value = model::bytes(ordinary), .reason = claim<ClaimId::kOrdinaryIsTight>()});
    }
    return decided;
}

model::Decided<model::HumongousRule> decide_humongous_rule(model::HumongousRule asked) {
    model::Decided<model::HumongousRule> rule{.value = asked, .why = {}};
    if (asked == model::HumongousRule::kOwnMemory) {
        rule.why.reason = claim<ClaimId::kHumongousOwnMemory>();
        rule.why.alternatives.push_back({.value = "refuse", .reason = claim<ClaimId::kRefuseLost>()});
    } else {
        rule.why.reason = claim<ClaimId::kHumongousRefused>();
        rule.why.alternatives.push_back({.value = "own_memory", .reason = claim<ClaimId::kOwnMemoryLost>()});
    }
    return rule;
}

}  // namespace heapwright::policy
