#include "heapwright/policy/heap_budget.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <optional>

#include "heapwright/contract/usable_budget.hpp"
#include "heapwright/core/count_text.hpp"
#include "heapwright/policy/device_class.hpp"

namespace heapwright::policy {
namespace {

struct ReserveShare {
    double share;
    std::string text;  // "the workload's share of 0.1"
};

ReserveShare reserve_share_of(const Context& context) {
    const double asked = context.workload.reserve_share;
    if (asked == 0 || !shares_one_ram(context.device))
        return {.share = asked, .text = fmt::format("the workload's share of {}", asked)};
    const double twice = std::round(asked * (2 - asked) * 1e6) / 1e6;
    return {.share = twice,
            .text = fmt::format("{}: the workload's share of {}, taken twice since this device's heaps are one RAM",
                                twice, asked)};
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
    usable.why.inputs.push_back(context.cite_workload(fmt::format("/caps/{}", member), std::to_string(limit)));
    usable.why.reason +=
        fmt::format("; the workload's cap {} of {} bytes leaves this heap {} bytes", member, limit, own);
    usable.value = own;
}

// Usage above the budget takes nothing off the plan, but the program will meet it at run time.
void warn_of_figures(const Context& context, std::size_t index, std::vector<std::string>& warnings) {
    const std::uint64_t size = context.device.heaps[index].size_bytes;
    const auto& budgets = context.device.run.heap_budgets;
    if (size == 0 || index >= budgets.size()) return;
    const auto [budget, usage] = budgets[index];
    if (budget > size) {
        warnings.push_back(fmt::format(
            "heap {}: the device reports a budget of {} bytes, more than the heap's {} bytes, which count instead",
            index, budget, size));
    }
    if (const std::uint64_t usable = contract::usable_budget(size, budget); usage > usable) {
        warnings.push_back(fmt::format(
            "heap {}: {} bytes of it were in use by the process that made the report, more than its {} of {} bytes; "
            "while a program uses as much, it finds no more memory there",
            index, usage, usable < size ? "budget" : "size", usable));
    }
}

model::Decided<std::uint64_t> decide_usable(const Context& context, std::size_t index,
                                            std::vector<std::string>& warnings) {
    const std::uint64_t size = context.device.heaps[index].size_bytes;
    const std::optional<std::uint64_t> known_budget = contract::known_budget(context.device, index);
    const std::uint64_t base = contract::usable_budget(context.device, index);

    model::Decided<std::uint64_t> usable;
    const ReserveShare reserve = reserve_share_of(context);
    usable.value = contract::without_share(base, reserve.share);
    const std::uint64_t reserved = base - usable.value;
    usable.why.inputs.push_back(context.cite_device(fmt::format("/heaps/{}/size_bytes", index), std::to_string(size)));
    std::string source = fmt::format("the heap's {} bytes (no budget reported)", size);
    if (known_budget) {
        const std::uint64_t budget = *known_budget;
        usable.why.inputs.push_back(
            context.cite_device(fmt::format("/volatile/heap_budgets/{}/budget_bytes", index), std::to_string(budget)));
        source = fmt::format("the smaller of the heap's {} bytes and its budget of {} bytes", size, budget);
    } else if (size != 0) {
        warnings.push_back(fmt::format(
            "heap {}: the device reports no budget, so the usable bytes rest on the heap's size alone", index));
    }
    usable.why.inputs.push_back(
        context.cite_workload("/reserve_share", fmt::format("{}", context.workload.reserve_share)));
    usable.why.reason = fmt::format("{}, less {} bytes for other processes ({})", source, reserved, reserve.text);
    warn_of_figures(context, index, warnings);
    cap(context, index, usable);
    usable.why.alternatives.push_back(
        {.value = std::to_string(size),
         .reason = "the whole heap: other processes and the driver live there too, and going over the budget makes "
                   "the system page or fail the allocation"});
    return usable;
}

model::Decided<std::uint64_t> decide_parts(const model::Decided<std::uint64_t>& max_chunks, std::uint64_t heaps) {
    // Half of the allocations are left to chunks beyond the parts and to dedicated resources.
    const std::uint64_t most = std::max<std::uint64_t>(1, max_chunks.value / (2 * std::max<std::uint64_t>(1, heaps)));
    model::Decided<std::uint64_t> parts;
    parts.value = std::min(kDefaultParts, most);
    parts.why.inputs = max_chunks.why.inputs;
    if (parts.value == kDefaultParts) {
        parts.why.reason = fmt::format(
            "the default of the memory article's rule, few enough for the {} that this policy allows over {}",
            counted(max_chunks.value, "device allocation"), counted(heaps, "heap"));
        parts.why.alternatives.push_back(
            {.value = "60",
             .reason = "what the memory article's own figure of 133333333 bytes for 8 GB amounts to; a slip"});
    } else {
        parts.why.reason = fmt::format("half of the {} that this policy allows, shared by {}: fewer than the default",
                                       counted(max_chunks.value, "device allocation"), counted(heaps, "heap"));
        parts.why.alternatives.push_back(
            {.value = std::to_string(kDefaultParts), .reason = "the default: it would use up the device allocations"});
    }
    return parts;
}

std::optional<model::Decided<double>> decide_reserve_share(const Context& context, std::size_t heap) {
    if (!contract::known_budget(context.device, heap)) return std::nullopt;
    const double asked = context.workload.reserve_share;
    model::Decided<double> share;
    const ReserveShare reserve = reserve_share_of(context);
    share.value = reserve.share;
    share.why.reason = fmt::format(
        "left to other processes ({}), whose need changes: it is taken of the budget that the device names at run "
        "time, too, where that is less than the usable bytes",
        reserve.text);
    share.why.inputs.push_back(context.cite_workload("/reserve_share", fmt::format("{}", asked)));
    if (share.value > 0) {
        share.why.alternatives.push_back(
            {.value = "0",
             .reason = "the budget is used up to its last byte, and the next allocation of any process pages"});
    }
    return share;
}

}  // namespace

std::vector<model::HeapPolicy> decide_heaps(const Context& context, const model::Decided<std::uint64_t>& max_chunks,
                                            std::vector<std::string>& warnings) {
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

}  // namespace heapwright::policy
