// The memory article's rule: its chunks for a bucket, and its whole policy as a baseline.
//
// Rule: the buckets of the article "Vulkan Memory Allocation (Part 1 of N)": one for each class, alignment S and memory
// type T, with chunks of d = max(M, H / K), held within what the heap, its budget and maxMemoryAllocationSize allow:
//   max(M, H / K), rounded up to a unit of at most 1 MiB
//   not above usable / 8, so that a small heap is not one chunk; not above maxMemoryAllocationSize
//   not below the bucket's largest resource
// The simulation (optimise.hpp) tries nothing larger, and lists this rule among what lost.
// M, the largest ordinary resource, is the largest resource of the workload that is no larger than a 4096x4096 RGBA8
// image, as this driver sizes both. (The article takes 64,000,000 bytes for that image; its texels alone are
// 67,108,864.)
// Sizes in bytes. Pure.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "heapwright/core/result.hpp"
#include "heapwright/model/policy.hpp"
#include "heapwright/model/report.hpp"
#include "heapwright/model/workload.hpp"
#include "policy/buckets.hpp"

namespace heapwright::policy {

struct LargestOrdinary {
    model::Decided<std::uint64_t> bytes;
    // The inputs that made the number, without those that merely bound it: what a decision that uses M cites.
    std::vector<model::DecisionInput> deciding_inputs;
    std::uint64_t bound_bytes = 0;  // of a 4096x4096 RGBA8 image
};

[[nodiscard]] LargestOrdinary decide_largest_ordinary(const Context& context, std::span<const PlacedDemand> placed,
                                                      model::DedicatedRule rule);

// The chunk size of one bucket, before the other buckets of its heap are considered.
[[nodiscard]] model::Decided<std::uint64_t> source_chunk(const Context& context, const BucketDemand& bucket,
                                                         const model::HeapPolicy& heap, const LargestOrdinary& largest);

// The policy's buckets by this rule alone, the fullest chunk first.
[[nodiscard]] std::vector<Bucket> source_buckets(const Context& context, const BucketInputs& inputs,
                                                 std::span<const model::HeapPolicy> heaps,
                                                 const LargestOrdinary& largest, model::Statement& warnings);

// Lists, where a bucket would not fill one chunk, what merging it into another of its memory type would save and cost.
// Chunk sizes are final.
void list_merging_alternatives(std::vector<Bucket>& buckets);

// The policy that the memory article's rule gives a workload, complete enough to serve all that
// another policy serves, so that both can be played on the same operations. Pure. Errors: those of advise().

// Where the report holds no sweep the rule cannot know every alignment that the driver asks for: what `other` serves
// and it does not gets buckets of its own, with its chunk size. Memory types are taken as `other` ranks them.
[[nodiscard]] Result<model::DevicePolicy> policy_by_source_rule(const model::DeviceReport& facts,
                                                                const model::Workload& workload,
                                                                const model::DevicePolicy& other);

}  // namespace heapwright::policy
