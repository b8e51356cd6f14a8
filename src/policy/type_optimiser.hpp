// One memory type's buckets and chunks: the groupings of buckets.hpp that can differ there, each with the best chunks
// of bucket_search.hpp, and of them the one that keeps most limits and then wastes least. Part of the rule of
// optimise.hpp. Pure.
#pragma once

#include <cstdint>

#include "heapwright/policy/bucket_search.hpp"
#include "heapwright/policy/optimise.hpp"

namespace heapwright::policy {

struct TypeInputs {
    std::uint32_t memory_type = 0;
    double all_units = 0;       // that churn in the whole workload
    double workload_bytes = 0;  // expected, of all memory types
    std::uint64_t frame_parts = kFrameBudgetParts;
    HeapRoom room;
};

// Adds the type's to `result`, and why classes share chunks there where they do.
void optimise_type(const Context& context, const OptimiseInputs& inputs, const TypeInputs& type,
                   OptimisedBuckets& result);

}  // namespace heapwright::policy
