// The chunks of one bucket: the limits that they keep, and the search for the best.
//
// Rule: what the chunks of one bucket may take of the device, and whether a simulated rule keeps to it.
//   a frame       its part of the frame budget: an eighth, less where there are more than eight buckets, so that the
//                 worst frames of all of them together fit one frame
//   allocations   its part of eight times those that 256 MiB blocks take, of at most half of those that the policy
//                 allows
//   bytes         what its resources are expected to take, and an equal part of what the heap has beyond the whole
//                 workload; where the workload alone is more than the heap, no rule for chunks can keep within it
// Where nothing keeps to all of these, the device's own limits still count: the whole frame budget, the policy's
// allocations, the heap's bytes. Times in nanoseconds, sizes in bytes. Pure.
#pragma once

#include <algorithm>
#include <array>
#include <cstdint>
#include <optional>
#include <span>
#include <utility>
#include <vector>

#include "model/claims.hpp"
#include "policy/buckets.hpp"
#include "policy/simulation.hpp"

namespace heapwright::policy {

// The worst frame of one bucket may spend this part of the frame budget on device memory.
inline constexpr std::uint64_t kFrameBudgetParts = 8;
// Device allocations may be this many times those that the Vulkan Memory Allocator's default blocks take.
inline constexpr std::uint64_t kAllocationsRatio = 8;

enum class LimitsKept : std::uint8_t { kAll, kOfDevice, kNone };  // the first is the best

struct ChunkLimits {
    std::uint64_t frame_budget_ns = 1;
    std::uint64_t frame_parts = kFrameBudgetParts;
    std::uint64_t wanted_allocations = 0;   // of the simulated resources
    std::uint64_t allowed_allocations = 0;  // of all resources
    double expected_bytes = 0;              // of all resources
    std::optional<double> most_bytes;       // reserved for all resources; empty where the workload exceeds the heap
    double simulated_share = 1;             // of the resources that the heap can hold
};

[[nodiscard]] LimitsKept limits_kept(const SimulatedFigures& figures, const ChunkRule& rule, const ChunkLimits& limits);

// Which limits a rule breaks: those of LimitsKept::kNone, or where it keeps these those of kAll. Empty where it keeps
// them all.
[[nodiscard]] model::Statement limits_broken(const SimulatedFigures& figures, const ChunkRule& rule,
                                             const ChunkLimits& limits);

// What the whole workload leaves of a heap.
struct HeapRoom {
    std::optional<double> spare_bytes;  // empty where the workload alone exceeds the heap
    std::uint32_t memory_types = 0;     // of the heap, with ordinary resources
};

[[nodiscard]] std::vector<HeapRoom> find_room(const BucketInputs& inputs, std::span<const model::HeapPolicy> heaps);

// Rule: the chunks of one bucket, by simulation. Candidates, each run over the sampled trace of the bucket's memory
// type:
//   sizes: powers of two from 1 MiB to the article's rule, and that rule itself (article_rule.hpp)
//   at the best size: the fullest chunk first instead of the tightest, chunks that grow, a lower dedicated threshold
// The best has the least
//     wasted bytes / bytes of the whole workload + (worst frame + 8 mean frames) / frame budget
// of those that keep the limits, best kept first. One simulated run tells waste to some hundredths
// of the bytes only; within those the shorter frame is the better choice, and it is measured. What every frame
// pays, because a rule takes and frees device memory all the time, is what chunks are there to avoid.
// Pure; same input, same choice.

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
