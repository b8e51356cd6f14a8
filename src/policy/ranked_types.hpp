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
    explicit RankedTypes(const model::DevicePolicy& policy) {
        for (const model::MemoryUsePolicy& entry : policy.memory_uses)
            ranked_[static_cast<std::size_t>(entry.use)] = entry.memory_types.value;
    }

    // Stays valid. Optimal images have the types of device-only memory behind those of their use, as
    // contract/bucket_index.hpp has them.
    [[nodiscard]] std::span<const std::uint32_t> of(std::uint32_t memory_type_bits, model::MemoryUse use,
                                                    model::ResourceClass resource_class) {
        const bool is_optimal = resource_class != model::ResourceClass::kLinear;
        const auto position = static_cast<std::size_t>(use);
        auto& known = known_[position][is_optimal ? 1 : 0];
        const auto entry = std::ranges::find(known, memory_type_bits, &Admitted::first);
        if (entry != known.end()) return entry->second;
        std::vector<std::uint32_t> types;
        const auto add = [&](const std::vector<std::uint32_t>& ranked) {
            for (const std::uint32_t type : ranked) {
                if (contract::admits(memory_type_bits, type) && std::ranges::find(types, type) == types.end())
                    types.push_back(type);
            }
        };
        add(ranked_[position]);
        if (is_optimal) add(ranked_[static_cast<std::size_t>(model::MemoryUse::kDeviceOnly)]);
        return known.emplace_back(memory_type_bits, std::move(types)).second;
    }

private:
    using Admitted = std::pair<std::uint32_t, std::vector<std::uint32_t>>;  // memory_type_bits, types

    static constexpr std::size_t kUses = 4;
    std::array<std::vector<std::uint32_t>, kUses> ranked_;           // by use
    std::array<std::array<std::vector<Admitted>, 2>, kUses> known_;  // by use, and whether it is of optimal images
};

}  // namespace heapwright::policy
