#include "policy/heap_budget.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <optional>

#include "contract/feasibility.hpp"
#include "model/claims.hpp"
#include "policy/context.hpp"

namespace heapwright::policy {

using model::claim;
using model::ClaimId;

namespace {

struct ReserveShare {
    double share;
    model::Claim source;
};

ReserveShare reserve_share_of(const Context& context) {
    const double asked = context.workload.reserve_share;
    if (asked == 0 || !shares_one_ram(context.device))
        return {.share = asked, .source = claim<ClaimId::kReserveOnce>(model::share(asked))};
    const double twice = std::round(asked * (2 - asked) * 1e6) / 1e6;
    return {.share = twice, .source = claim<ClaimId::kReserveTwice>(model::share(twice), model::share(asked))};
}

// Heaps of one kind share its cap in proportion to their sizes.
void cap(const Context& context, std::size_t index, model::Decided<std::uint64_t>& usable) {
    if (!context.workload.caps) return;
    const auto& heaps = context.device.heaps;
    const auto is_device_local = [](const model::MemoryHeap& heap) {
        return (heap.flags & model::memory_heap::kDeviceLocal) != 0;
    };
    const bool local = is_device_local(heaps[index]);
    const std::uint64_t limit = local ? context.workload.caps->device_local_bytes : context.workload.caps->host_bytes;
    if (limit == 0) return;
    double together = 0;
    for (const model::MemoryHeap& heap : heaps) {
        if (is_device_local(heap) == local) together += static_cast<double>(heap.size_bytes);
    }
    const double share = together > 0 ? static_cast<double>(heaps[index].size_bytes) / together : 1;
    const auto own = share >= 1 ? limit : saturating_bytes(static_cast<double>(limit) * share);
    if (own >= usable.value) return;
    const std::string_view member = local ? "device_local_bytes" : "host_bytes";
    usable.why.inputs.push_back(context.cite_workload(fmt::format("/caps/{}", member), model::bytes(limit)));
    usable.why.reason += claim<ClaimId::kUsableCapped>(member, model::bytes(limit), model::bytes(own));
    usable.value = own;
}

// Usage above the budget takes nothing off the plan, but the program will meet it at run time.
void warn_of_figures(const Context& context, std::size_t index, model::Statement& warnings) {
    const std::uint64_t size = context.device.heaps[index].size_bytes;
    const auto& budgets = context.device.run.heap_budgets;
    if (size == 0 || index >= budgets.size()) return;
    const auto [budget, usage] = budgets[index];
    if (budget > size) {
        warnings += claim<ClaimId::kBudgetAboveSize>(model::count(index), model::bytes(budget), model::bytes(size));
    }
    if (const std::uint64_t usable = contract::usable_budget(size, budget); usage > usable) {
        const auto used = model::bytes(usage);
        warnings += usable < size ? claim<ClaimId::kUsageAboveBudget>(model::count(index), used, model::bytes(usable))
                                  : claim<ClaimId::kUsageAboveSize>(model::count(index), used, model::bytes(usable));
    }
}

model::Decided<std::uint64_t> decide_usable(const Context& context, std::size_t index, model::Statement& warnings) {
    const std::uint64_t size = context.device.heaps[index].size_bytes;
    const std::optional<std::uint64_t> known_budget = contract::known_budget(context.device, index);
    const std::uint64_t base = contract::usable_budget(context.device, index);

    model::Decided<std::uint64_t> usable;
    const ReserveShare reserve = reserve_share_of(context);
    usable.value = contract::without_share(base, reserve.share);
    const auto reserved = model::bytes(base - usable.value);
    usable.why.inputs.push_back(context.cite_device(fmt::format("/heaps/{}/size_bytes", index), model::bytes(size)));
    if (known_budget) {
        const auto budget = model::bytes(*known_budget);
        usable.why.inputs.push_back(
            context.cite_device(fmt::format("/volatile/heap_budgets/{}/budget_bytes", index), budget));
        usable.why.reason = claim<ClaimId::kUsableOfBudget>(model::bytes(size), budget, reserved);
    } else {
        usable.why.reason = claim<ClaimId::kUsableOfSize>(model::bytes(size), reserved);
        if (size != 0) warnings += claim<ClaimId::kHeapWithoutBudget>(model::count(index));
    }
    usable.why.inputs.push_back(context.cite_workload("/reserve_share", model::share(context.workload.reserve_share)));
    usable.why.reason += reserve.source;
    warn_of_figures(context, index, warnings);
    cap(context, index, usable);
    usable.why.alternatives.push_back({.value = model::bytes(size), .reason = claim<ClaimId::kWholeHeapLost>()});
    return usable;
}

model::Decided<std::uint64_t> decide_parts(const model::Decided<std::uint64_t>& max_chunks, std::uint64_t heaps) {
    // Half of the allocations are left to chunks beyond the parts and to dedicated resources.
    const std::uint64_t most = std::max<std::uint64_t>(1, max_chunks.value / (2 * std::max<std::uint64_t>(1, heaps)));
    model::Decided<std::uint64_t> parts;
    parts.value = std::min(kDefaultParts, most);
    parts.why.inputs = max_chunks.why.inputs;
    const auto allocations = model::count(max_chunks.value);
    if (parts.value == kDefaultParts) {
        parts.why.reason = claim<ClaimId::kPartsByDefault>(allocations, model::count(heaps));
        parts.why.alternatives.push_back({.value = model::count(60), .reason = claim<ClaimId::kPartsSlip>()});
    } else {
        parts.why.reason = claim<ClaimId::kPartsFewer>(allocations, model::count(heaps));
        parts.why.alternatives.push_back(
            {.value = model::count(kDefaultParts), .reason = claim<ClaimId::kDefaultPartsLost>()});
    }
    return parts;
}

std::optional<model::Decided<double>> decide_reserve_share(const Context& context, std::size_t heap) {
    if (!contract::known_budget(context.device, heap)) return std::nullopt;
    model::Decided<double> share;
    const ReserveShare reserve = reserve_share_of(context);
    share.value = reserve.share;
    share.why.reason = claim<ClaimId::kReserveForOthers>();
    share.why.reason += reserve.source;
    share.why.reason += claim<ClaimId::kReserveAtRunTime>();
    share.why.inputs.push_back(context.cite_workload("/reserve_share", model::share(context.workload.reserve_share)));
    if (share.value > 0) {
        share.why.alternatives.push_back({.value = model::share(0), .reason = claim<ClaimId::kNoReserveLost>()});
    }
    return share;
}

}  // namespace

std::vector<model::HeapPolicy> decide_heaps(const Context& context, const model::Decided<std::uint64_t>& max_chunks,
                                            model::Statement& warnings) {
    const auto& heaps = context.device.heaps;
    const auto real_heaps = static_cast<std::uint64_t>(
        std::count_if(heaps.begin(), heaps.end(), [](const model::MemoryHeap& heap) { return heap.size_bytes != 0; }));
    std::vector<model::HeapPolicy> policies;
    for (std::size_t index = 0; index < heaps.size(); ++index) {
        policies.push_back({.heap = static_cast<std::uint32_t>(index),
                            .size_bytes = heaps[index].size_bytes,
                            .base_bytes = contract::usable_budget(context.device, index),
                            .usable_bytes = decide_usable(context, index, warnings),
                            .parts = decide_parts(max_chunks, real_heaps),
                            .reserve_share = decide_reserve_share(context, index)});
    }
    return policies;
}

model::Decided<std::uint64_t> decide_max_chunks(const Context& context, model::Statement& warnings) {
    const auto limit = find_limit(context, "maxMemoryAllocationCount");
    const std::uint64_t count = limit ? limit->value : kGuaranteedAllocationCount;

    model::Decided<std::uint64_t> decided;
    decided.value = std::max<std::uint64_t>(1, count - count / 8);
    if (limit) {
        decided.why.inputs.push_back(limit->input);
        decided.why.reason = claim<ClaimId::kAllocationsOfLimit>(model::count(count));
    } else if (context.device.identity.api == model::Api::kD3d12) {
        decided.why.reason = claim<ClaimId::kAllocationsOfD3d12>(model::count(count));
    } else {
        decided.why.reason = claim<ClaimId::kAllocationCountMissing>(model::count(count));
        warnings += decided.why.reason;
    }
    if (limit || context.device.identity.api != model::Api::kD3d12)
        decided.why.reason += claim<ClaimId::kAllocationsForOthers>();
    decided.why.alternatives = {{.value = model::count(count), .reason = claim<ClaimId::kAllAllocationsLost>()},
                                {.value = model::count(80), .reason = claim<ClaimId::kGuidelineAllocationsLost>()}};
    return decided;
}

}  // namespace heapwright::policy
