// What was simulated for one memory type, and the finished buckets that come of it: every number of a bucket with the
// reason, the inputs and the alternatives that lost. Sizes in bytes, times in nanoseconds. Pure.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "policy/bucket_search.hpp"
#include "policy/optimise.hpp"

namespace heapwright::policy {

// One grouping of the type's resources, with the best chunks for each of its buckets.
struct GroupingResult {
    Grouping grouping = Grouping::kByAlignment;
    std::vector<BucketDemand> buckets;
    std::vector<model::Decided<std::uint64_t>> source_chunks;  // of the article's rule, for each bucket
    std::vector<BucketChoice> choices;                         // for each bucket
    SimulatedFigures figures;                                  // of all its buckets
    SimulatedFigures source_figures;
    LimitsKept kept = LimitsKept::kAll;
    double score = 0;
    double score_noise = 0;  // another whose score is above by less is as good; the fewest buckets are taken then
};

// A grouping that is not simulated.
struct UntriedGrouping {
    Grouping grouping = Grouping::kSingle;
    std::optional<Grouping> same_as;
    model::Statement why;
};

struct TypeSearch {
    std::uint32_t memory_type = 0;
    const model::HeapPolicy& heap;
    AllocationCost cost;
    SampledTrace trace;
    SimulatedFigures vma;  // the Vulkan Memory Allocator's default blocks
    double chunk_share = 1;
    std::uint64_t frame_parts = kFrameBudgetParts;
    std::uint64_t most_allocations = 1;   // that the type should take
    std::vector<GroupingResult> results;  // never empty
    std::vector<UntriedGrouping> untried;

    [[nodiscard]] const GroupingResult& best() const;
};

// The best grouping's buckets, in its order.
[[nodiscard]] std::vector<Bucket> finished_buckets(const Context& context, const OptimiseInputs& inputs,
                                                   const TypeSearch& search);

// That the memory type shares chunks: how the best grouping did, and the others.
[[nodiscard]] model::Statement sharing(const TypeSearch& search);

}  // namespace heapwright::policy
