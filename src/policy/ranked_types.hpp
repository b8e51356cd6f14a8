// The memory types that a policy ranks for a use, of those that a request admits, best first: where allocators that
// have no rule of their own for it look. Not thread-safe.
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <utility>
#include <vector>

#include "heapwright/contract/bucket_choice.hpp"
#include "heapwright/model/policy.hpp"
#include "heapwright/model/resource.hpp"

namespace heapwright::policy {

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

}  // namespace heapwright::policy
