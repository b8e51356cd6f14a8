#include "heapwright/policy/humongous_rule.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "heapwright/contract/feasibility.hpp"
#include "heapwright/policy/allocation_cost.hpp"
#include "heapwright/policy/chunk_limits.hpp"

namespace heapwright::policy {
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
    std::string bounds = fmt::format("a 4096x4096 RGBA8 image {}", chunk);
    const auto bound = [&](const std::string& name, std::uint64_t bytes) {
        chunk = std::min(chunk, bytes);
        bounds += fmt::format(", {} {}", name, bytes);
    };
    const auto device_only =
        std::ranges::find(policy.memory_uses, model::MemoryUse::kDeviceOnly, &model::MemoryUsePolicy::use);
    if (device_only != policy.memory_uses.end() && !device_only->memory_types.value.empty()) {
        const std::uint32_t type = device_only->memory_types.value.front();
        const model::HeapPolicy& heap = policy.heaps[context.device.memory_types[type].heap_index];
        bound(fmt::format("an eighth of heap {}'s usable bytes", heap.heap),
              heap.usable_bytes.value / contract::kFewestChunks);
        decided.why.inputs = heap.usable_bytes.why.inputs;
        const AllocationCost cost(context, type);
        const double budget_ns =
            static_cast<double>(context.workload.frame_budget_ns) / static_cast<double>(kFrameBudgetParts);
        bound(fmt::format("what 1/{} of a frame of {} ns allocates of memory type {} ({})", kFrameBudgetParts,
                          context.workload.frame_budget_ns, type, cost.source()),
              affordable_bytes(cost, budget_ns, chunk));
        decided.why.inputs.push_back(
            context.cite_workload("/frame_budget_ns", std::to_string(context.workload.frame_budget_ns)));
    }
    if (const auto limit = find_limit(context, "maxMemoryAllocationSize")) {
        bound("maxMemoryAllocationSize", limit->value);
        decided.why.inputs.push_back(limit->input);
    }
    const std::uint64_t ordinary = largest.bytes.value;
    decided.value = std::max(chunk, ordinary);
    decided.why.reason = fmt::format(
        "a larger request is no part of a chunk: the least of {}; {} the {} bytes of the workload's largest ordinary "
        "resource",
        bounds, chunk < ordinary ? "raised to" : "not below", ordinary);
    for (const model::DecisionInput& input : largest.deciding_inputs) {
        if (std::ranges::find(decided.why.inputs, input.path, &model::DecisionInput::path) == decided.why.inputs.end())
            decided.why.inputs.push_back(input);
    }
    if (chunk != ordinary) {
        decided.why.alternatives.push_back(
            chunk < ordinary
                ? model::Alternative{.value = std::to_string(chunk),
                                     .reason = "resources of the workload that belong in chunks are larger"}
                : model::Alternative{.value = std::to_string(ordinary),
                                     .reason =
                                         "the workload's largest ordinary resource: what it did not name and is a "
                                         "little larger would take a device allocation each"});
    }
    return decided;
}

model::Decided<model::HumongousRule> decide_humongous_rule(model::HumongousRule asked) {
    model::Decided<model::HumongousRule> rule{.value = asked, .why = {}};
    if (asked == model::HumongousRule::kOwnMemory) {
        rule.why.reason =
            "a request that is too large for chunks gets memory of its own, because an application that asks for it "
            "needs it";
        rule.why.alternatives.push_back(
            {.value = "refuse",
             .reason = "the memory article's behaviour: the caller must ask for such memory by name (--humongous "
                       "refuse)"});
    } else {
        rule.why.reason =
            "the user asked for the memory article's behaviour: the ordinary interface refuses what is too large for "
            "chunks, and the caller asks for it by name";
        rule.why.alternatives.push_back(
            {.value = "own_memory", .reason = "the default: such a request gets memory of its own"});
    }
    return rule;
}

}  // namespace heapwright::policy
