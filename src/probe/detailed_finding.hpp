// A finding together with what shows it again on the driver itself. Plain values.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "heapwright/model/report.hpp"

namespace heapwright::probe {

struct Query {
    model::ResourceDescription resource;
    model::MemoryRequirements answer;  // what the report holds
};

// How many allocations of one memory type can be made; all are freed.
struct CountedAllocations {
    std::uint32_t memory_type = 0;
    std::uint64_t bytes_each = 0;
    std::uint64_t at_most = 0;
};

// `violated` is a C++ expression over the API's own structures that is true where the violation shows:
//   first, second   VkMemoryRequirements of queries[0] and queries[1]
//   memory          VkPhysicalDeviceMemoryProperties
//   limits          VkPhysicalDeviceLimits
//   fact            the structure named by `structure`, from VkPhysicalDeviceProperties2 or its sibling for memory
//   allocated       how many of `allocations` succeeded
//   any_type(memory, bits, flags): whether one of the types in `bits` has all of `flags`
struct Reproduction {
    std::vector<Query> queries;  // at most two
    std::string structure;
    std::optional<CountedAllocations> allocations;
    std::string violated;
};

struct DetailedFinding {
    model::Finding finding;
    Reproduction reproduction;
};

}  // namespace heapwright::probe
