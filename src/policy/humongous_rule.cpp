#include "heapwright/policy/humongous_rule.hpp"

#include <algorithm>

#include "heapwright/contract/feasibility.hpp"
#include "heapwright/model/claims.hpp"
#include "heapwright/policy/allocation_cost.hpp"
#include "heapwright/policy/chunk_limits.hpp"

namespace heapwright::policy {

using model::claim;
using model::ClaimId;

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
        bounds += claim<ClaimId::kBoundByHeap>(
            model::count(heap.heap), model::bytes(heap.usable_bytes.value), model::bytes(of_heap));
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
    decided.why.reason = claim<ClaimId::kHumongousAbove>();
    decided.why.reason += claim<ClaimId::kHumongousBetween>();
    decided.why.reason += chunk < ordinary ? claim<ClaimId::kHumongousRaised>(model::bytes(ordinary))
                                           : claim<ClaimId::kHumongousNotBelow>(model::bytes(ordinary));
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
