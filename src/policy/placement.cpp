#include "heapwright/policy/placement.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <limits>

#include "heapwright/contract/bucket_choice.hpp"
#include "heapwright/core/byte_text.hpp"
#include "heapwright/core/checked.hpp"
#include "heapwright/policy/granularity.hpp"
#include "heapwright/policy/memory_types.hpp"

namespace heapwright::policy {
namespace {

// Images of linear tiling are of the linear class.
bool is_optimal_image(const Demand& demand) {
    return demand.resource_class != model::ResourceClass::kLinear;
}

class TypeChooser {
public:
    TypeChooser(const Context& context, const Demand& demand, std::span<const model::HeapPolicy> heaps)
        : context_(context), demand_(demand), heaps_(heaps) {
        if (const auto limit = find_limit(context, "maxMemoryAllocationSize")) largest_allocation_ = limit->value;
        choices_.why_not = fmt::format("none of the memory types that the driver allows (bits {:#x}) serves {} memory",
                                       demand.requirements.memory_type_bits, to_string(demand.use));
    }

    void add(std::span<const std::uint32_t> types, bool lazily_allocated) {
        for (const std::uint32_t type : types) {
            if (is_admitted(type)) add_admitted(type, lazily_allocated);
        }
    }

    [[nodiscard]] bool has_admitted() const { return !choices_.types.empty() || choices_.too_large.has_value(); }
    void set_staged() { choices_.staged = true; }
    [[nodiscard]] TypeChoices take() { return std::move(choices_); }

private:
    [[nodiscard]] bool is_admitted(std::uint32_t type) const {
        if (!choose_memory_type(std::span(&type, 1), demand_.requirements.memory_type_bits)) return false;
        return contract::holds_class(context_.device.memory_types[type], demand_.resource_class);
    }

    void add_admitted(std::uint32_t type, bool lazily_allocated) {
        const std::uint32_t heap = context_.device.memory_types[type].heap_index;
        if (std::ranges::find(choices_.types, heap, &TypeChoice::heap) != choices_.types.end()) return;
        const std::uint64_t usable = heaps_[heap].usable_bytes.value;
        const std::uint64_t granule = granule_of(context_, demand_.requirements.alignment_bytes, type);
        const auto rounded = checked_align_up(demand_.requirements.size_bytes, granule);
        if (rounded && *rounded <= usable && *rounded <= largest_allocation_) {
            choices_.types.push_back({.memory_type = type, .heap = heap, .lazily_allocated = lazily_allocated});
            return;
        }
        if (choices_.too_large) return;
        const std::uint64_t bytes = rounded.value_or(~std::uint64_t{0});
        choices_.too_large = {
            .limit = bytes > largest_allocation_ ? "maxMemoryAllocationSize" : fmt::format("heap {}", heap),
            .limit_bytes = bytes > largest_allocation_ ? largest_allocation_ : usable,
            .size_bytes = bytes};
        choices_.why_not = "its " + exceeded_text(*choices_.too_large);
    }

    const Context& context_;
    const Demand& demand_;
    std::span<const model::HeapPolicy> heaps_;
    std::uint64_t largest_allocation_ = std::numeric_limits<std::uint64_t>::max();
    TypeChoices choices_;
};

}  // namespace

std::string limit_text(const model::ExceededLimit& exceeded) {
    const std::string limit = byte_text(exceeded.limit_bytes);
    if (exceeded.limit.starts_with("heap")) return fmt::format("{} has, {}", exceeded.limit, limit);
    return fmt::format("{} ({}){}", exceeded.limit, limit,
                       is_soft(exceeded) ? ", above which allocations may fail" : "");
}

std::string exceeded_text(const model::ExceededLimit& exceeded) {
    return fmt::format("{} are more than {}", byte_text(exceeded.size_bytes), limit_text(exceeded));
}

TypeChoices choose_types(const Context& context, const Demand& demand, std::span<const model::MemoryUsePolicy> uses,
                         std::span<const model::HeapPolicy> heaps) {
    if (!demand.beyond_limit.empty()) {
        return {.types = {}, .staged = false, .why_not = demand.beyond_limit, .too_large = demand.too_large};
    }
    const auto ranking = [&](model::MemoryUse use) -> const std::vector<std::uint32_t>& {
        return uses[static_cast<std::size_t>(use)].memory_types.value;
    };
    TypeChooser chooser(context, demand, heaps);
    if (demand.transient_attachment) chooser.add(lazily_allocated_types(context, heaps), true);
    chooser.add(ranking(demand.use), false);
    if (is_optimal_image(demand) && demand.use != model::MemoryUse::kDeviceOnly) {
        const bool only_staged = !chooser.has_admitted();
        chooser.add(ranking(model::MemoryUse::kDeviceOnly), false);
        if (only_staged && chooser.has_admitted()) chooser.set_staged();
    }
    return chooser.take();
}

}  // namespace heapwright::policy
