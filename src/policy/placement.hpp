// Rule: which memory types may hold a part of the demand, best first: those of its use's ranking that the driver allows
// for it. Before them, for a transient attachment, lazily allocated memory. Behind them, for an optimal image that the
// host fills or reads, those of device-only memory: its texels are in an order that the host does not know, so that
// they are copied to and from the image whatever memory it has (contract/bucket_index.hpp tries the same). Of the types
// of one heap the first. Sizes in bytes. Pure.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
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
    std::string why_not;            // where `types` is empty
    std::optional<model::ExceededLimit> too_large;  // where `types` is empty: a type serves it, but not at its size
};

// "maxBufferSize (2 GiB)", "heap 0 has, 4 GiB"; and in a sentence:
// "8 GiB are more than maxMemoryAllocationSize (2 GiB), above which allocations may fail".
[[nodiscard]] std::string limit_text(const model::ExceededLimit& exceeded);
[[nodiscard]] std::string exceeded_text(const model::ExceededLimit& exceeded);

// `uses` is indexed by MemoryUse.
[[nodiscard]] TypeChoices choose_types(const Context& context, const Demand& demand,
                                       std::span<const model::MemoryUsePolicy> uses,
                                       std::span<const model::HeapPolicy> heaps);

}  // namespace heapwright::policy
