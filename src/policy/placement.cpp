#include "heapwright/policy/placement.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <limits>
#include <optional>

#include "heapwright/core/checked.hpp"
#include "heapwright/policy/granularity.hpp"
#include "heapwright/policy/memory_types.hpp"

namespace heapwright::policy {
namespace {

// The type that holds the demand, or why none does.
struct Choice {
    std::optional<std::uint32_t> memory_type;
    std::string why_not;
};

Choice choose(const Context& context, const Demand& demand, std::span<const std::uint32_t> lazy,
              std::span<const std::uint32_t> ranking, std::span<const model::HeapPolicy> heaps,
              std::uint64_t largest_allocation) {
    const std::uint32_t bits = demand.requirements.memory_type_bits;
    std::vector<std::uint32_t> order;
    if (demand.transient_attachment) order.assign(lazy.begin(), lazy.end());
    order.insert(order.end(), ranking.begin(), ranking.end());

    std::string why_not = fmt::format("none of the memory types that the driver allows (bits {:#x}) serves {} memory",
                                      bits, to_string(demand.use));
    for (const std::uint32_t type : order) {
        if (!choose_memory_type(std::span(&type, 1), bits)) continue;
        const auto& classes = context.device.memory_types[type].resource_classes;
        if (!classes.empty() && std::find(classes.begin(), classes.end(), demand.resource_class) == classes.end()) {
            continue;
        }
        const std::uint32_t heap = context.device.memory_types[type].heap_index;
        const std::uint64_t usable = heaps[heap].usable_bytes.value;
        const std::uint64_t granule = granule_of(context, demand.requirements.alignment_bytes, type);
        const auto rounded = checked_align_up(demand.requirements.size_bytes, granule);
        if (rounded && *rounded <= usable && *rounded <= largest_allocation) {
            return {.memory_type = type, .why_not = {}};
        }
        why_not = fmt::format(
            "its {} bytes in multiples of {} are more than the {} usable bytes of heap {} or than "
            "maxMemoryAllocationSize {}",
            demand.requirements.size_bytes, granule, usable, heap, largest_allocation);
    }
    return {.memory_type = std::nullopt, .why_not = std::move(why_not)};
}

}  // namespace

std::vector<PlacedDemand> place_demand(const Context& context, std::span<const Demand> demands,
                                       std::span<const model::MemoryUsePolicy> uses,
                                       std::span<const model::HeapPolicy> heaps, std::vector<std::string>& warnings) {
    const auto limit = find_limit(context, "maxMemoryAllocationSize");
    const std::uint64_t largest = limit ? limit->value : std::numeric_limits<std::uint64_t>::max();
    const std::vector<std::uint32_t> lazy = lazily_allocated_types(context, heaps);

    std::vector<PlacedDemand> placed;
    for (const Demand& demand : demands) {
        const Choice choice = choose(context, demand, lazy,
                                     uses[static_cast<std::size_t>(demand.use)].memory_types.value, heaps, largest);
        if (!choice.memory_type) {
            warnings.push_back(fmt::format("{} cannot be served: {}", demand.what, choice.why_not));
            continue;
        }
        placed.push_back({.demand = &demand,
                          .memory_type = *choice.memory_type,
                          .heap = context.device.memory_types[*choice.memory_type].heap_index});
    }
    return placed;
}

}  // namespace heapwright::policy
