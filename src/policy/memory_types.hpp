// Memory types: those that may hold a part of the demand, those that a finished policy ranks, and how a use ranks them.
//
// Rule: which memory types may hold a part of the demand, best first: those that are tried for it
// (contract/bucket_choice.hpp) and that the driver allows. Of the types of one heap the first. Sizes in bytes. Pure.
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <utility>
#include <vector>

#include "contract/bucket_choice.hpp"
#include "core/units.hpp"
#include "heapwright/model/policy.hpp"
#include "heapwright/model/resource.hpp"
#include "policy/context.hpp"
#include "policy/demand.hpp"

namespace heapwright::policy {

struct PlacedDemand {
    const Demand* demand = nullptr;  // of the DemandList or of a CapacityResult
    std::uint32_t memory_type = 0;
    std::uint32_t heap = 0;
    bool lazily_allocated = false;
};

struct TypeChoice {
    std::uint32_t memory_type = 0;
    std::uint32_t heap = 0;
    bool lazily_allocated = false;
};

struct TypeChoices {
    std::vector<TypeChoice> types;  // best first, whose heap and the device's limit can hold the largest resource
    bool staged = false;            // no type of its use takes it: device-only memory alone stands in
    std::optional<model::ExceededLimit> too_large;  // where `types` is empty: a type serves it, but not at its size
};

// "8 GiB are more than maxMemoryAllocationSize (2 GiB), above which allocations may fail".
[[nodiscard]] model::Claim exceeds(const model::ExceededLimit& exceeded);

// `uses` is indexed by MemoryUse.
[[nodiscard]] TypeChoices choose_types(const Context& context, const Demand& demand,
                                       std::span<const model::MemoryUsePolicy> uses,
                                       std::span<const model::HeapPolicy> heaps);

// The memory types that a policy ranks for a use, of those that a request admits, best first: where allocators that
// have no rule of their own for it look. Not thread-safe.

class RankedTypes {
public:
    explicit RankedTypes(const model::DevicePolicy& policy) : uses_(policy.memory_uses) {}

    // Stays valid.
    [[nodiscard]] std::span<const std::uint32_t> of(std::uint32_t memory_type_bits, model::MemoryUse use,
                                                    model::ResourceClass resource_class) {
        const bool is_optimal = resource_class != model::ResourceClass::kLinear;
        auto& known = known_[static_cast<std::size_t>(use)][is_optimal ? 1 : 0];
        const auto entry = std::ranges::find(known, memory_type_bits, &Admitted::first);
        if (entry != known.end()) return entry->second;
        std::vector<std::uint32_t> types = contract::types_in_order({.uses = uses_}, resource_class, use);
        std::erase_if(types, [&](std::uint32_t type) { return !contract::admits(memory_type_bits, type); });
        return known.emplace_back(memory_type_bits, std::move(types)).second;
    }

private:
    using Admitted = std::pair<std::uint32_t, std::vector<std::uint32_t>>;  // memory_type_bits, types

    static constexpr std::size_t kUses = 4;
    const std::vector<model::MemoryUsePolicy> uses_;
    std::array<std::array<std::vector<Admitted>, 2>, kUses> known_;  // by use, and whether it is of optimal images
};

// Rule: which memory types serve a use, best first, and why the others do not. Never a type that needs a feature that
// an application must enable first, and none on a heap that holds nothing. Types with equal flags on one heap keep the
// order of the specification. What is streamed is written directly into memory that the device reads locally, unless
// the host was measured to write that at less than a quarter of system memory's rate. Pure.

// A host-visible device-local heap up to this size is a window into a larger one (a small BAR).
inline constexpr std::uint64_t kSmallBarBytes = 256 * kMiB;

[[nodiscard]] model::MemoryUsePolicy rank_memory_types(const Context& context, model::MemoryUse use,
                                                       std::span<const model::HeapPolicy> heaps);

}  // namespace heapwright::policy
