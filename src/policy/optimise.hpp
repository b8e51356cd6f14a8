// Rule: buckets and chunks of every memory type, by simulating the workload's demand on it. For each memory type the
// groupings of buckets.hpp are tried, with the best chunks that bucket_search.hpp finds for each of their buckets; the
// source's rule as it stands and the Vulkan Memory Allocator's default blocks run over the same trace and are listed
// with their figures. Pure; same input, same policy.
#pragma once

#include <span>
#include <string>
#include <vector>

#include "heapwright/policy/chunk_size.hpp"
#include "heapwright/policy/sampled_trace.hpp"

namespace heapwright::policy {

struct OptimiseInputs {
    BucketInputs buckets;  // its `placed` is the whole demand; its grouping is not used
    std::span<const model::HeapPolicy> heaps;
    const LargestOrdinary& largest;
    const model::Decided<std::uint64_t>& max_chunks;
    SampleOptions sample;
};

struct OptimisedBuckets {
    std::vector<Bucket> buckets;  // everything but chunk_size_bytes, which make_feasible() writes from the plans
    std::vector<ChunkPlan> plans;
    std::vector<std::uint64_t> most_new_chunks;  // in one simulated frame; none of the source's rule
    double worst_frame_ns = 0;   // of all buckets, as if their worst frames fell together; none of the source's rule
    std::string shared_classes;  // why linear and optimal resources share chunks although their pages could meet
};

[[nodiscard]] OptimisedBuckets optimise_buckets(const Context& context, const OptimiseInputs& inputs,
                                                std::vector<std::string>& warnings);

// The source's rule alone: buckets by class and alignment, chunks of max(M, H / K), the fullest chunk first.
[[nodiscard]] OptimisedBuckets source_buckets(const Context& context, const OptimiseInputs& inputs,
                                              std::vector<std::string>& warnings);

// Linear and optimal resources share chunks after all: `why` says what was simulated.
void share_classes(model::Decided<bool>& separate, const std::string& why);

// After make_feasible(): chunks that shrank take their growth and their threshold along.
void fit_to_chunks(std::vector<Bucket>& buckets);

}  // namespace heapwright::policy
