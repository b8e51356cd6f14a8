#include "policy/optimise.hpp"

#include <algorithm>
#include <array>
#include <cstdint>
#include <iterator>
#include <optional>
#include <set>
#include <thread>
#include <tuple>
#include <utility>

#include "contract/feasibility.hpp"
#include "core/parallel.hpp"
#include "model/claims.hpp"
#include "policy/article_rule.hpp"
#include "policy/bucket_search.hpp"
#include "policy/finished_buckets.hpp"

namespace heapwright::policy {

using model::claim;
using model::ClaimId;

namespace {

constexpr std::uint64_t kFewestAllocations = 8;

SimulatedFigures sum(const std::vector<SimulatedFigures>& parts) {
    SimulatedFigures all;
    for (const SimulatedFigures& part : parts) {
        all.mean_reserved_bytes += part.mean_reserved_bytes;
        all.mean_used_bytes += part.mean_used_bytes;
        all.peak_reserved_bytes += part.peak_reserved_bytes;
        all.peak_allocations += part.peak_allocations;
        all.allocation_calls += part.allocation_calls;
        all.worst_frame_ns = std::max(all.worst_frame_ns, part.worst_frame_ns);
        all.mean_frame_ns += part.mean_frame_ns;
    }
    return all;
}

// What the types have in common.
struct WholeWorkload {
    double churning_units = 0;
    double ordinary_bytes = 0;  // expected
    std::uint64_t frame_parts = kFrameBudgetParts;
    std::vector<HeapRoom> rooms;
};

class TypeSearcher {
public:
    TypeSearcher(const Context& context, const OptimiseInputs& inputs, const WholeWorkload& whole,
                 std::uint32_t memory_type)
        : context_(context),
          inputs_(inputs),
          whole_(whole),
          search_{.memory_type = memory_type,
                  .heap = inputs.heaps[context.device.memory_types[memory_type].heap_index],
                  .cost = AllocationCost(context, memory_type),
                  .trace = {},
                  .vma = {},
                  .frame_parts = whole.frame_parts,
                  .results = {},
                  .untried = {}} {
        for (const PlacedDemand& entry : inputs.buckets.placed) {
            if (entry.memory_type == memory_type && is_ordinary(*entry.demand, inputs.buckets))
                placed_.push_back(entry);
        }
        SampleOptions sample = inputs.sample;
        sample.most_bytes = search_.heap.usable_bytes.value;
        search_.trace = sample_trace(context.workload, placed_, whole.churning_units, sample);
        search_.vma = simulate_vma(search_.trace, context.device.heaps[search_.heap.heap].size_bytes,
                                   contract::granularity_bytes(context.device), search_.cost);
        const std::uint64_t own = std::max(kFewestAllocations, search_.vma.peak_allocations * kAllocationsRatio);
        search_.most_allocations = std::max<std::uint64_t>(1, std::min(own, inputs.max_chunks.value / 2));
    }

    // What was simulated for one is not again for another.
    const TypeSearch& run(double chunk_share) {
        search_.chunk_share = chunk_share;
        search_.results.clear();
        search_.untried.clear();
        for (const Grouping grouping : groupings()) {
            auto tried = try_grouping(grouping);
            if (tried) search_.results.push_back(std::move(*tried));
        }
        return search_;
    }

private:
    // Those that can differ here; why the others cannot is noted.
    [[nodiscard]] std::vector<Grouping> groupings() {
        std::set<std::uint64_t> alignments;
        std::set<model::ResourceClass> classes;
        for (const PlacedDemand& entry : placed_) {
            alignments.insert(entry.demand->requirements.alignment_bytes);
            classes.insert(entry.demand->resource_class);
        }
        std::vector<Grouping> all{Grouping::kByAlignment};
        std::vector<UntriedGrouping>& untried = search_.untried;
        const bool separates = inputs_.buckets.separate_linear_and_optimal;
        const bool one_alignment = alignments.size() == 1;
        if (separates && alignments.size() > 1) {
            all.push_back(Grouping::kByClass);
        } else {
            untried.push_back({.grouping = Grouping::kByClass,
                               .same_as = one_alignment ? Grouping::kByAlignment : Grouping::kSingle,
                               .why = separates ? model::Statement() : claim<ClaimId::kClassesShareAnyway>()});
            if (one_alignment) untried.back().why += claim<ClaimId::kOneAlignment>();
        }
        if (separates ? classes.size() > 1 : alignments.size() > 1) {
            all.push_back(Grouping::kSingle);
        } else {
            untried.push_back({.same_as = one_alignment ? Grouping::kByAlignment : Grouping::kByClass,
                               .why = separates ? claim<ClaimId::kOneClass>() : claim<ClaimId::kClassesShareAnyway>()});
            if (one_alignment) untried.back().why += claim<ClaimId::kOneAlignment>();
        }
        return all;
    }

    [[nodiscard]] bool fits(const BucketDemand& bucket) const {
        const auto limit = find_limit(context_, "maxMemoryAllocationSize");
        return bucket.largest_bytes <= search_.heap.usable_bytes.value &&
               (!limit || bucket.largest_bytes <= limit->value);
    }

    [[nodiscard]] ChunkLimits limits_of(const BucketDemand& bucket, double share, std::size_t buckets) const {
        const auto part = [&](std::uint64_t all) {
            return std::max<std::uint64_t>(2, static_cast<std::uint64_t>(static_cast<double>(all) * share));
        };
        ChunkLimits limits{.frame_budget_ns = budget_ns(),
                           .frame_parts = search_.frame_parts,
                           .wanted_allocations = part(search_.most_allocations),
                           .allowed_allocations = part(inputs_.max_chunks.value / 2),
                           .expected_bytes = bucket.expected_bytes,
                           .simulated_share = search_.trace.share_of_held};
        const HeapRoom& room = whole_.rooms[search_.heap.heap];
        if (room.spare_bytes) {
            const double types = std::max(1u, room.memory_types);
            limits.most_bytes = bucket.expected_bytes + *room.spare_bytes / types / static_cast<double>(buckets);
        }
        return limits;
    }

    [[nodiscard]] std::optional<GroupingResult> try_grouping(Grouping grouping) {
        GroupingResult result{.grouping = grouping};
        BucketInputs inputs = inputs_.buckets;
        inputs.placed = placed_;
        inputs.grouping = grouping;
        result.buckets = group_demand(context_, inputs);
        // Padding may take a resource beyond its heap; the article's own buckets always fit.
        if (grouping != Grouping::kByAlignment &&
            !std::ranges::all_of(result.buckets, [&](const BucketDemand& bucket) { return fits(bucket); })) {
            search_.untried.push_back(
                {.grouping = grouping, .why = claim<ClaimId::kGroupingTooLarge>(model::count(search_.heap.heap))});
            return std::nullopt;
        }

        std::vector<SimulatedFigures> best;
        std::vector<SimulatedFigures> source;
        double expected = 0;
        for (const BucketDemand& bucket : result.buckets) expected += bucket.expected_bytes;
        std::vector<std::vector<Candidate>>& simulated = simulated_[static_cast<std::size_t>(grouping)];
        simulated.resize(result.buckets.size());
        for (const BucketDemand& bucket : result.buckets) {
            result.source_chunks.push_back(source_chunk(context_, bucket, search_.heap, inputs_.largest));
            const double share = expected > 0 ? bucket.expected_bytes / expected : 1.0;
            result.choices.push_back(search_chunks(bucket, result.source_chunks.back().value,
                                                   {.trace = search_.trace,
                                                    .cost = search_.cost,
                                                    .grouping = grouping,
                                                    .chunk_share = search_.chunk_share,
                                                    .all_used_bytes = used_bytes(),
                                                    .limits = limits_of(bucket, share, result.buckets.size()),
                                                    .simulated = simulated[result.choices.size()]}));
            best.push_back(result.choices.back().best.figures);
            source.push_back(result.choices.back().source_rule.figures);
            result.kept = std::max(result.kept, result.choices.back().kept);
        }
        result.figures = sum(best);
        result.source_figures = sum(source);
        result.score = score(result.figures, used_bytes(), budget_ns());
        result.score_noise = score_noise(result.figures, budget_ns());
        return result;
    }

    // Of the part that is simulated.
    [[nodiscard]] double used_bytes() const {
        return std::max(search_.vma.mean_used_bytes, whole_.ordinary_bytes * search_.trace.share);
    }
    [[nodiscard]] std::uint64_t budget_ns() const {
        return std::max<std::uint64_t>(1, context_.workload.frame_budget_ns);
    }

    const Context& context_;
    const OptimiseInputs& inputs_;
    const WholeWorkload& whole_;
    std::vector<PlacedDemand> placed_;
    std::array<std::vector<std::vector<Candidate>>, 3> simulated_;  // by grouping and bucket
    TypeSearch search_;
};

bool have_same_chunks(const Bucket& one, const Bucket& other) {
    const auto rule = [](const model::BucketPolicy& bucket) {
        return std::tuple(bucket.id, bucket.chunk_size_bytes.value, bucket.chunk_choice.value,
                          bucket.growth ? bucket.growth->first_chunk_bytes.value : 0,
                          bucket.dedicated_threshold_bytes ? bucket.dedicated_threshold_bytes->value : 0);
    };
    return rule(one.policy) == rule(other.policy);
}

void add_type(const Context& context, const OptimiseInputs& inputs, const TypeSearch& search,
              OptimisedBuckets& chosen) {
    for (const BucketChoice& choice : search.best().choices)
        chosen.worst_frame_ns += choice.best.figures.worst_frame_ns;
    for (const BucketDemand& bucket : search.best().buckets) {
        if (bucket.mixes_classes) chosen.shared_classes += sharing(search);
    }
    chosen.buckets = finished_buckets(context, inputs, search);
}

void append(OptimisedBuckets&& of_type, OptimisedBuckets& all) {
    std::ranges::move(of_type.buckets, std::back_inserter(all.buckets));
    all.worst_frame_ns += of_type.worst_frame_ns;
    all.shared_classes += of_type.shared_classes;
}

}  // namespace

std::vector<OptimisedBuckets> optimise_buckets(const Context& context, const OptimiseInputs& inputs) {
    WholeWorkload whole{
        .churning_units = churning_units(inputs.buckets.placed),
        .frame_parts = std::max<std::uint64_t>(kFrameBudgetParts, group_demand(context, inputs.buckets).size()),
        .rooms = find_room(inputs.buckets, inputs.heaps)};
    std::set<std::uint32_t> types;
    for (const PlacedDemand& entry : inputs.buckets.placed) {
        if (!is_ordinary(*entry.demand, inputs.buckets)) continue;
        types.insert(entry.memory_type);
        whole.ordinary_bytes += entry.demand->held_bytes();
    }
    const std::vector<std::uint32_t> listed(types.begin(), types.end());
    std::vector<std::array<OptimisedBuckets, kChunkShares.size()>> found(listed.size());
    for_each_index(listed.size(), std::max<std::size_t>(1, std::thread::hardware_concurrency()), [&](std::size_t i) {
        TypeSearcher searcher(context, inputs, whole, listed[i]);
        for (std::size_t share = 0; share < kChunkShares.size(); ++share)
            add_type(context, inputs, searcher.run(kChunkShares[share]), found[i][share]);
    });
    std::vector<OptimisedBuckets> candidates;
    for (std::size_t share = 0; share < kChunkShares.size(); ++share) {
        OptimisedBuckets all{.chunk_share = kChunkShares[share]};
        for (auto& of_type : found) append(std::move(of_type[share]), all);
        const bool is_new = std::ranges::none_of(candidates, [&](const OptimisedBuckets& other) {
            return std::ranges::equal(all.buckets, other.buckets, have_same_chunks);
        });
        if (is_new) candidates.push_back(std::move(all));
    }
    return candidates;
}

void warn_of_long_frames(const Context& context, const OptimisedBuckets& chosen, model::Statement& warnings) {
    const auto budget = static_cast<double>(context.workload.frame_budget_ns);
    if (chosen.worst_frame_ns <= budget) return;
    warnings += claim<ClaimId::kWarnLongFrames>(model::nanoseconds(chosen.worst_frame_ns), model::nanoseconds(budget));
}

void share_classes(model::Decided<bool>& separate, const model::Statement& why) {
    separate.value = false;
    model::Statement reason = claim<ClaimId::kClassesShare>();
    reason += why;
    reason += std::exchange(separate.why.reason, {});
    separate.why.reason = std::move(reason);
    model::Statement lost = claim<ClaimId::kClassesShareLost>();
    lost += why;
    separate.why.alternatives = {{.value = "true", .reason = std::move(lost)}};
}

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
