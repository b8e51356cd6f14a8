#include "heapwright/policy/placement.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <limits>

#include "heapwright/contract/bucket_choice.hpp"
#include "heapwright/contract/bucket_index.hpp"
#include "heapwright/core/checked.hpp"
#include "heapwright/model/claims.hpp"
#include "heapwright/policy/granularity.hpp"

namespace heapwright::policy {

using model::claim;
using model::ClaimId;

namespace {

class TypeChooser {
public:
    TypeChooser(const Context& context, const Demand& demand, const model::MemoryUsePolicy& own,
                std::span<const model::HeapPolicy> heaps)
        : context_(context), demand_(demand), own_(own), heaps_(heaps) {
        if (const auto limit = find_limit(context, "maxMemoryAllocationSize")) largest_allocation_ = limit->value;
    }

    void add(std::uint32_t type) {
        if (!contract::admits(demand_.requirements.memory_type_bits, type)) return;
        const std::uint32_t heap = context_.device.memory_types[type].heap_index;
        const bool lazy =
            (context_.device.memory_types[type].property_flags & model::memory_property::kLazilyAllocated) != 0;
        if (choices_.types.empty() && !choices_.too_large)
            choices_.staged =
                !lazy && std::ranges::find(own_.memory_types.value, type) == own_.memory_types.value.end();
        if (std::ranges::find(choices_.types, heap, &TypeChoice::heap) != choices_.types.end()) return;
        const std::uint64_t usable = heaps_[heap].usable_bytes.value;
        const std::uint64_t granule = granule_of(context_, demand_.requirements.alignment_bytes, type);
        const auto rounded = checked_align_up(demand_.requirements.size_bytes, granule);
        if (rounded && *rounded <= usable && *rounded <= largest_allocation_) {
            choices_.types.push_back({.memory_type = type, .heap = heap, .lazily_allocated = lazy});
            return;
        }
        if (choices_.too_large) return;
        const std::uint64_t bytes = rounded.value_or(~std::uint64_t{0});
        choices_.too_large = {
            .limit = bytes > largest_allocation_ ? "maxMemoryAllocationSize" : fmt::format("heap {}", heap),
            .limit_bytes = bytes > largest_allocation_ ? largest_allocation_ : usable,
            .size_bytes = bytes};
    }

    [[nodiscard]] TypeChoices take() { return std::move(choices_); }

private:
    const Context& context_;
    const Demand& demand_;
    const model::MemoryUsePolicy& own_;
    std::span<const model::HeapPolicy> heaps_;
    std::uint64_t largest_allocation_ = std::numeric_limits<std::uint64_t>::max();
    TypeChoices choices_;
};

}  // namespace

model::Claim exceeds(const model::ExceededLimit& exceeded) {
    const auto size = model::bytes(exceeded.size_bytes);
    const auto limit = model::bytes(exceeded.limit_bytes);
    if (exceeded.limit.starts_with("heap")) return claim<ClaimId::kExceedsHeap>(size, exceeded.limit, limit);
    if (is_soft(exceeded)) return claim<ClaimId::kExceedsSoftLimit>(size, exceeded.limit, limit);
    return claim<ClaimId::kExceedsLimit>(size, exceeded.limit, limit);
}

TypeChoices choose_types(const Context& context, const Demand& demand, std::span<const model::MemoryUsePolicy> uses,
                         std::span<const model::HeapPolicy> heaps) {
    if (!demand.beyond_limit.empty()) {
        return {.types = {}, .staged = false, .too_large = demand.too_large};
    }
    const contract::RankedMemory memory{
        .types = context.device.memory_types, .heaps = context.device.heaps, .heap_policies = heaps, .uses = uses};
    TypeChooser chooser(context, demand, uses[static_cast<std::size_t>(demand.use)], heaps);
    for (const std::uint32_t type :
         contract::types_in_order(memory, demand.resource_class, demand.use, demand.transient_attachment))
        chooser.add(type);
    return chooser.take();
}

}  // namespace heapwright::policy
