// Rule: buckets and chunks of every memory type, by simulating the workload's demand on it. For each memory type the
// groupings of buckets.hpp that can differ there are tried, each with the best chunks that bucket_search.hpp finds for
// its buckets, and the one is taken that keeps most limits and then wastes least. The article's rule as it stands and
// the Vulkan Memory Allocator's default blocks run over the same trace and are listed with their figures.
// The buckets that come back are finished, reasons and all (finished_buckets.hpp). Pure; same input, same policy.
#pragma once

#include <span>
#include <vector>

#include "heapwright/policy/buckets.hpp"
#include "heapwright/policy/sampled_trace.hpp"
#include "heapwright/policy/source_rule.hpp"

namespace heapwright::policy {

struct OptimiseInputs {
    BucketInputs buckets;  // its `placed` is the whole demand; its grouping is not used
    std::span<const model::HeapPolicy> heaps;
    const LargestOrdinary& largest;
    const model::Decided<std::uint64_t>& max_chunks;
    SampleOptions sample;
};

struct OptimisedBuckets {
    double chunk_share = 1;  // of bucket_search.hpp's kChunkShares
    std::vector<Bucket> buckets;
    double worst_frame_ns = 0;        // of all buckets, as if their worst frames fell together
    model::Statement shared_classes;  // why linear and optimal resources share chunks although their pages could meet
};

// Candidates for the whole policy, all different: the best chunks for each share of their cost that frames may pay.
[[nodiscard]] std::vector<OptimisedBuckets> optimise_buckets(const Context& context, const OptimiseInputs& inputs);

void warn_of_long_frames(const Context& context, const OptimisedBuckets& chosen, model::Statement& warnings);

// Linear and optimal resources share chunks after all: `why` says what was simulated.
void share_classes(model::Decided<bool>& separate, const model::Statement& why);

}  // namespace heapwright::policy
