// Rule: the buckets of the article "Vulkan Memory Allocation (Part 1 of N)": one for each class, alignment S and memory
// type T, with chunks of d = max(M, H / K), held within what the heap, its budget and maxMemoryAllocationSize allow:
//   max(M, H / K), rounded up to a unit of at most 1 MiB
//   not above usable / 8, so that a small heap is not one chunk; not above maxMemoryAllocationSize
//   not below the bucket's largest resource
// The simulation (optimise.hpp) tries nothing larger, and lists this rule among what lost. Sizes in bytes. Pure.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "heapwright/policy/buckets.hpp"
#include "heapwright/policy/largest_resource.hpp"

namespace heapwright::policy {

// The chunk size of one bucket, before the other buckets of its heap are considered.
[[nodiscard]] model::Decided<std::uint64_t> source_chunk(const Context& context, const BucketDemand& bucket,
                                                         const model::HeapPolicy& heap, const LargestOrdinary& largest);

// The policy's buckets by this rule alone, the fullest chunk first.
[[nodiscard]] std::vector<Bucket> source_buckets(const Context& context, const BucketInputs& inputs,
                                                 std::span<const model::HeapPolicy> heaps,
                                                 const LargestOrdinary& largest, std::vector<std::string>& warnings);

// Lists, where a bucket would not fill one chunk, what merging it into another of its memory type would save and cost.
// Chunk sizes are final.
void list_merging_alternatives(std::vector<Bucket>& buckets);

}  // namespace heapwright::policy
