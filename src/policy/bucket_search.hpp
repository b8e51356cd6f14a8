// Rule: the chunks of one bucket, by simulation. Candidates, each run over the sampled trace of the bucket's memory
// type:
//   sizes: powers of two from 1 MiB to the article's rule, and that rule itself (source_rule.hpp)
//   at the best size: the fullest chunk first instead of the tightest, chunks that grow, a lower dedicated threshold
// The best has the least
//     wasted bytes / bytes of the whole workload + (worst frame + 8 mean frames) / frame budget
// of those that keep the limits of chunk_limits.hpp, best kept first. One simulated run tells waste to some hundredths
// of the bytes only; within those the shorter frame is the better choice, and it is measured. What every frame
// pays, because a rule takes and frees device memory all the time, is what chunks are there to avoid.
// Pure; same input, same choice.
#pragma once

#include <algorithm>
#include <array>
#include <cstdint>
#include <optional>
#include <utility>
#include <vector>

#include "heapwright/model/claims.hpp"
#include "heapwright/policy/chunk_limits.hpp"
#include "heapwright/policy/simulation.hpp"

namespace heapwright::policy {

// The part of a new chunk's cost that the frame pays which needs it: all of it, or less, as chunks are kept ready. How
// often one is ready, only the whole policy tells. The quarter is chosen, nothing measured it.
inline constexpr std::array kChunkShares{1.0, 0.25, 0.0};

struct Candidate {
    ChunkRule rule;
    SimulatedFigures figures;
};

struct SearchInputs {
    const SampledTrace& trace;
    const AllocationCost& cost;
    Grouping grouping = Grouping::kByAlignment;
    double chunk_share = 1;     // of kChunkShares
    double all_used_bytes = 0;  // of the whole workload, so that a small bucket's waste counts for little
    ChunkLimits limits;
    std::vector<Candidate>& simulated;  // of this bucket: no rule is run twice
};

struct BucketChoice {
    Candidate best;
    std::vector<Candidate> others;  // simulated and not chosen, in the order in which they were tried
    Candidate source_rule;
    LimitsKept kept = LimitsKept::kAll;
    ChunkLimits limits;
    std::optional<std::uint64_t> near_tie_bytes;  // the largest size that is as good, where a smaller one was taken
    double all_used_bytes = 0;
};

// Why a candidate lost to the best: the limit that it breaks, or what it costs more.
[[nodiscard]] model::Statement why_lost(const Candidate& candidate, const BucketChoice& choice);

// What frames spend on device memory, as a part of their budget.
inline constexpr double kMeanFrameWeight = 8;
[[nodiscard]] inline double time_share(double worst_frame_ns, double mean_frame_ns, std::uint64_t frame_budget_ns) {
    return (worst_frame_ns + kMeanFrameWeight * mean_frame_ns) /
           static_cast<double>(std::max<std::uint64_t>(1, frame_budget_ns));
}
// The lower the better, of rules that keep the same limits.
[[nodiscard]] double score(const SimulatedFigures& figures, double all_used_bytes, std::uint64_t frame_budget_ns);

// What of a score's time two captures of one device differ by. Among sizes that keep the same limits and whose scores
// are nearer than that to the best, or than a share of the workload's bytes that nobody would mind, the smallest chunk
// is taken, so that another capture gives the same policy. What differs in more than its size must be better by as
// much.
inline constexpr double kCaptureNoise = 0.25;
inline constexpr double kEqualWaste = 0.01;
[[nodiscard]] double score_noise(const SimulatedFigures& figures, std::uint64_t frame_budget_ns);

// `source_bytes` is the chunk size of the article's rule.
[[nodiscard]] BucketChoice search_chunks(const BucketDemand& bucket, std::uint64_t source_bytes,
                                         const SearchInputs& inputs);

// What is special about the rule beside its size. Empty: nothing.
[[nodiscard]] model::Statement describe(const ChunkRule& rule);
// A claim that ends "12.3% wasted, 19 device allocations, worst frame 576 us, mean frame 3 us".
template <model::ClaimId id, class... F>
[[nodiscard]] model::Claim describe(const SimulatedFigures& figures, F&&... before) {
    return model::claim<id>(std::forward<F>(before)..., model::share(figures.waste()),
                            model::count(figures.peak_allocations), model::nanoseconds(figures.worst_frame_ns),
                            model::nanoseconds(figures.mean_frame_ns));
}

}  // namespace heapwright::policy
