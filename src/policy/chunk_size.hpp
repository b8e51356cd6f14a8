// Rule: the chunk size of a bucket, d = max(M, H / K) ("Vulkan Memory Allocation (Part 1 of N)"), held within what the
// heap, its budget and maxMemoryAllocationSize allow.
//   seed = max(M, H / K), rounded up to a unit of at most 1 MiB
//   not above usable / 8, so that a small heap is not one chunk; not above maxMemoryAllocationSize
//   not below the bucket's largest resource
// Pure.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "heapwright/policy/buckets.hpp"
#include "heapwright/policy/largest_resource.hpp"

namespace heapwright::policy {

struct ChunkPlan {
    std::uint64_t seed_bytes = 0;      // max(M, H / K), not rounded
    std::uint64_t smallest_bytes = 0;  // holds the bucket's largest resource
    std::uint64_t unit_bytes = 1;      // chunk sizes are multiples of this, or of the granule where limited
    std::uint64_t value_bytes = 0;     // before the other buckets of the heap are considered
    model::Decision why;
};

[[nodiscard]] ChunkPlan plan_chunk(const Context& context, const Bucket& bucket, const model::HeapPolicy& heap,
                                   const LargestOrdinary& largest);

}  // namespace heapwright::policy
