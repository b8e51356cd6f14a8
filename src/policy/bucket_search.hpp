// Rule: the chunks of one bucket, by simulation. Candidates, each run over the sampled trace of the bucket's memory
// type:
//   sizes: powers of two from 1 MiB to the source's rule, and that rule itself (chunk_size.hpp)
//   at the best size: the fullest chunk first instead of the tightest, chunks that grow, a lower dedicated threshold
// The best has the least  wasted bytes / bytes in use + worst frame / frame budget  of those within the limits:
// a worst frame of at most an eighth of the frame budget, and the bucket's share of the device allocations.
// Pure; same input, same choice.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "heapwright/policy/chunk_size.hpp"
#include "heapwright/policy/simulation.hpp"

namespace heapwright::policy {

// The worst frame may spend this part of the frame budget on device memory.
inline constexpr std::uint64_t kFrameBudgetParts = 8;

struct SearchInputs {
    const SampledTrace& trace;
    const AllocationCost& cost;
    Grouping grouping = Grouping::kByAlignment;
    double all_used_bytes = 0;           // of the memory type, so that a small bucket's waste counts for little
    std::uint64_t most_allocations = 0;  // of this bucket
    std::uint64_t frame_budget_ns = 1;
};

struct Candidate {
    ChunkRule rule;
    SimulatedFigures figures;
};

struct BucketChoice {
    Candidate best;
    std::vector<Candidate> others;  // simulated and not chosen, in the order in which they were tried
    Candidate source_rule;
    bool within_limits = true;
    double score = 0;
};

[[nodiscard]] BucketChoice search_chunks(const Bucket& bucket, const ChunkPlan& source, const SearchInputs& inputs);

// "chunks of 16777216 bytes", with what is special about the rule.
[[nodiscard]] std::string describe(const ChunkRule& rule);
// "12.3% wasted, 19 device allocations, worst frame 576 us".
[[nodiscard]] std::string describe(const SimulatedFigures& figures);

}  // namespace heapwright::policy
