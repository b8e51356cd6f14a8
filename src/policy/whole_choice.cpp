#include "heapwright/policy/whole_choice.hpp"

#include <algorithm>
#include <cstdint>
#include <optional>
#include <thread>
#include <utility>

#include "heapwright/core/parallel.hpp"
#include "heapwright/model/claims.hpp"
#include "heapwright/policy/bucket_search.hpp"

namespace heapwright::policy {

using model::claim;
using model::ClaimId;

namespace {

constexpr std::size_t kComparedSeeds = 2;

// Of one candidate, over the seeds that were played.
struct Outcome {
    std::uint64_t failures = 0;
    double waste = 0;  // the mean
    double worst_frame_ns = 0;
    double mean_frame_ns = 0;  // the mean
    std::uint64_t allocations = 0;
    std::vector<std::uint64_t> most_new_chunks;  // by bucket
};

Outcome outcome_of(std::span<const Result<PlayedPolicy>> runs) {
    Outcome outcome;
    for (const Result<PlayedPolicy>& run : runs) {
        const SimulatedPool& pool = run->pool;
        outcome.failures += run->failures;
        outcome.waste += pool.mean_waste / static_cast<double>(runs.size());
        outcome.worst_frame_ns = std::max(outcome.worst_frame_ns, pool.times.worst_frame_ns);
        outcome.mean_frame_ns += pool.times.mean_frame_ns / static_cast<double>(runs.size());
        outcome.allocations = std::max(outcome.allocations, run->peak_allocations);
        const std::size_t buckets = std::max(outcome.most_new_chunks.size(), pool.most_new_chunks.size());
        outcome.most_new_chunks.resize(buckets);
        for (std::size_t bucket = 0; bucket < pool.most_new_chunks.size(); ++bucket) {
            std::uint64_t& most = outcome.most_new_chunks[bucket];
            most = std::max(most, pool.most_new_chunks[bucket]);
        }
    }
    return outcome;
}

std::size_t best_of(std::span<const Outcome> outcomes, std::uint64_t frame_budget_ns) {
    const auto time_of = [&](const Outcome& one) {
        return time_share(one.worst_frame_ns, one.mean_frame_ns, frame_budget_ns);
    };
    const Outcome& best = *std::ranges::min_element(
        outcomes, {}, [&](const Outcome& one) { return std::pair(one.failures, one.waste + time_of(one)); });
    const double good_enough = best.waste + time_of(best) + kEqualWaste + kCaptureNoise * time_of(best);
    std::optional<std::size_t> fewest;
    for (std::size_t index = 0; index < outcomes.size(); ++index) {
        const Outcome& one = outcomes[index];
        if (one.failures != best.failures || one.waste + time_of(one) > good_enough) continue;
        if (!fewest || one.allocations < outcomes[*fewest].allocations) fewest = index;
    }
    return *fewest;
}

}  // namespace

WholeChoice choose_whole(const Context& context, std::span<const WholeCandidate> candidates,
                         const std::shared_ptr<const PlayedStreams>& streams) {
    std::vector<Result<PlayedPolicy>> runs(candidates.size() * kComparedSeeds);
    for_each_index(runs.size(), std::clamp<std::size_t>(std::thread::hardware_concurrency(), 1, runs.size()),
                   [&](std::size_t run) {
                       const PolicyPlayer player(context, candidates[run / kComparedSeeds].policy, streams);
                       runs[run] = player.play_seed(context.workload.seed + run % kComparedSeeds, PlayedCosts::kShared);
                   });
    WholeChoice choice;
    if (!std::ranges::all_of(runs, [](const auto& run) { return run.has_value(); })) return choice;
    std::vector<Outcome> outcomes;
    for (std::size_t index = 0; index < candidates.size(); ++index)
        outcomes.push_back(outcome_of(std::span(runs).subspan(index * kComparedSeeds, kComparedSeeds)));
    choice.chosen = best_of(outcomes, context.workload.frame_budget_ns);
    choice.most_new_chunks = std::move(outcomes[choice.chosen].most_new_chunks);
    if (candidates.size() == 1) return choice;
    choice.why = claim<ClaimId::kWholePlayed>();
    for (std::size_t index = 0; index < candidates.size(); ++index) {
        const Outcome& outcome = outcomes[index];
        choice.why +=
            claim<ClaimId::kWholeShare>(model::share(candidates[index].chunk_share), model::share(outcome.waste),
                                        model::count(outcome.allocations), model::nanoseconds(outcome.worst_frame_ns));
        if (outcome.failures != 0) choice.why += claim<ClaimId::kWholeFailures>(model::count(outcome.failures));
        if (index == choice.chosen) choice.why += claim<ClaimId::kWholeTaken>();
    }
    return choice;
}

}  // namespace heapwright::policy
