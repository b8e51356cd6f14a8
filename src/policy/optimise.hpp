// Candidates for all buckets of a policy, and the choice among them.
//
// Rule: buckets and chunks of every memory type, by simulating the workload's demand on it. For each memory type the
// groupings of buckets.hpp that can differ there are tried, each with the best chunks that bucket_search.hpp finds for
// its buckets, and the one is taken that keeps most limits and then wastes least. The article's rule as it stands and
// the Vulkan Memory Allocator's default blocks run over the same trace and are listed with their figures.
// The buckets that come back are finished, reasons and all (finished_buckets.hpp). Pure; same input, same policy.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "heapwright/model/policy.hpp"
#include "policy/article_rule.hpp"
#include "policy/buckets.hpp"
#include "policy/context.hpp"
#include "policy/simulated_pool.hpp"
#include "policy/simulation.hpp"

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

// Rule: of candidates for the whole policy the one that does best when all of it is played (simulated_pool.hpp). The
// search of one bucket alone only proposes: what keeps chunks ready, heaps and allocations have in common is seen in
// the whole. Compared, with the workload's seed and the next, by the costs that captures of one device share:
//     requests without memory; then waste + (worst frame + 8 mean frames) / frame budget
// Among those that differ from the best by no more than captures of one device do, the one with the fewest device
// allocations is taken. Pure; same input, same choice.

struct WholeCandidate {
    double chunk_share = 1;  // of bucket_search.hpp's kChunkShares
    model::DevicePolicy policy;
};

struct WholeChoice {
    std::size_t chosen = 0;
    std::vector<std::uint64_t> most_new_chunks;  // of the chosen one, by bucket: that requests took in one frame
    model::Statement why;                        // what came of each; empty where there was nothing to choose
};

// The first where one cannot be played; there is at least one.
[[nodiscard]] WholeChoice choose_whole(const Context& context, std::span<const WholeCandidate> candidates,
                                       const std::shared_ptr<const PlayedStreams>& streams);

}  // namespace heapwright::policy
