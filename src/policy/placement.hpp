// Rule: which memory types may hold a part of the demand, best first: those that are tried for it
// (contract/bucket_index.hpp) and that the driver allows. Of the types of one heap the first. Sizes in bytes. Pure.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "heapwright/policy/demand.hpp"

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

}  // namespace heapwright::policy
