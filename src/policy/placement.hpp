// Rule: into which memory type each part of the demand goes: the best type of its use's ranking that the driver allows
// for it; a transient attachment goes to lazily allocated memory where there is some. Pure.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "heapwright/policy/demand.hpp"

namespace heapwright::policy {

struct PlacedDemand {
    const Demand* demand = nullptr;  // of the DemandList that place_demand() was given
    std::uint32_t memory_type = 0;
    std::uint32_t heap = 0;
};

// `uses` is indexed by MemoryUse. A part that no type can hold, or that is larger than its heap's usable bytes or than
// maxMemoryAllocationSize, is left out with a warning.
[[nodiscard]] std::vector<PlacedDemand> place_demand(const Context& context, std::span<const Demand> demands,
                                                     std::span<const model::MemoryUsePolicy> uses,
                                                     std::span<const model::HeapPolicy> heaps,
                                                     std::vector<std::string>& warnings);

}  // namespace heapwright::policy
