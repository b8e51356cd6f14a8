#include "policy/finished_buckets.hpp"

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstdlib>
#include <iterator>
#include <limits>
#include <string_view>
#include <tuple>
#include <utility>

#include "core/units.hpp"
#include "model/claims.hpp"

namespace heapwright::policy {

using model::claim;
using model::ClaimId;

namespace {

std::string_view to_string(Grouping grouping) {
    switch (grouping) {
        case Grouping::kByAlignment: return "bucket_per_class_and_alignment";
        case Grouping::kByClass: return "bucket_per_class";
        case Grouping::kSingle: return "single_bucket";
    }
    return {};
}

model::Claim why_taken(const BucketChoice& choice) {
    const model::Figure rules = model::count(choice.others.size() + 2);
    switch (choice.kept) {
        case LimitsKept::kAll: return claim<ClaimId::kChunkScoresBest>(rules);
        case LimitsKept::kOfDevice: return claim<ClaimId::kChunkOfDevice>(rules);
        case LimitsKept::kNone: return claim<ClaimId::kChunkKeepsNone>(rules);
    }
    return {};
}

model::Claim as_simulated(const Candidate& candidate) {
    return describe<ClaimId::kSimulated>(candidate.figures);
}

model::Claim reach_of(const BucketDemand& bucket) {
    return claim<ClaimId::kLargestHere>(model::bytes(bucket.largest_bytes), bucket.largest->what);
}

// As far as anyone reads them: to a hundredth of a percent and a tenth of a microsecond.
bool look_alike(const SimulatedFigures& one, const SimulatedFigures& other) {
    const auto read = [](const SimulatedFigures& figures) {
        return std::tuple(std::round(figures.waste() * 1e4), figures.peak_allocations,
                          std::round(figures.worst_frame_ns / 100), std::round(figures.mean_frame_ns / 100));
    };
    return read(one) == read(other);
}

class Finisher {
public:
    Finisher(const Context& context, const OptimiseInputs& inputs, const TypeSearch& search)
        : context_(context), inputs_(inputs), search_(search), best_(search.best()) {}

    [[nodiscard]] Bucket finish(std::size_t index) const {
        const BucketDemand& demand = best_.buckets[index];
        const BucketChoice& choice = best_.choices[index];
        const ChunkRule& rule = choice.best.rule;
        Bucket bucket = with_chunks(demand, decide_chunk(index), decide_choice(demand, choice));
        bucket.most_new_chunks = choice.best.figures.most_new_chunks;
        if (rule.dedicated_threshold_bytes != std::numeric_limits<std::uint64_t>::max()) {
            // What is above the threshold needs no chunk, so the chunk may shrink below the largest resource.
            bucket.smallest_chunk_bytes =
                std::max(demand.alignment_bytes,
                         std::min({demand.largest_bytes, rule.chunk_bytes, std::max(demand.unit_bytes(), kMiB)}));
            bucket.policy.dedicated_threshold_bytes = decide_threshold(demand, choice);
        }
        if (rule.first_bytes < rule.chunk_bytes) bucket.policy.growth = decide_growth(demand, choice);
        return bucket;
    }

private:
    [[nodiscard]] model::Decided<std::uint64_t> decide_chunk(std::size_t index) const {
        const BucketDemand& bucket = best_.buckets[index];
        const BucketChoice& choice = best_.choices[index];
        const model::Decision& bound = best_.source_chunks[index].why;
        model::Decided<std::uint64_t> chunk{.value = choice.best.rule.chunk_bytes, .why = {}};
        chunk.why.reason = chunk_reason(bucket, choice, bound);
        chunk.why.inputs = bound.inputs;
        chunk.why.inputs.push_back(context_.cite_workload("/frame_budget_ns", budget()));
        chunk.why.inputs.push_back(context_.cite_workload("/frames_in_flight", frames()));
        for (const auto& input : inputs_.max_chunks.why.inputs) chunk.why.inputs.push_back(input);
        for (auto& input : search_.cost.evidence(chunk.value)) chunk.why.inputs.push_back(std::move(input));
        list_rules(choice, chunk.why.alternatives);
        list_groupings(chunk.why.alternatives);
        std::ranges::copy(bound.alternatives, std::back_inserter(chunk.why.alternatives));
        return chunk;
    }

    [[nodiscard]] model::Statement chunk_reason(const BucketDemand& bucket, const BucketChoice& choice,
                                                const model::Decision& bound) const {
        const model::Figure size = model::bytes(choice.best.rule.chunk_bytes);
        const model::Figure cost = model::nanoseconds(search_.cost.allocate_ns(choice.best.rule.chunk_bytes));
        model::Statement reason = why_taken(choice);
        reason += claim<ClaimId::kChunkScore>();
        reason += describe(choice.best.rule);
        reason += as_simulated(choice.best);
        reason += search_.chunk_share < 1
                      ? claim<ClaimId::kChunkShareOfCost>(size, cost, model::share(search_.chunk_share))
                      : claim<ClaimId::kChunkWholeCost>(size, cost);
        reason += search_.cost.source();
        reason += search_.cost.nearest_point(choice.best.rule.chunk_bytes);
        reason += claim<ClaimId::kChunkFramePart>(model::count(search_.frame_parts), budget());
        reason += claim<ClaimId::kChunkTypeAllocations>(
            model::count(search_.most_allocations), model::count(kAllocationsRatio),
            model::count(search_.vma.peak_allocations), model::count(inputs_.max_chunks.value));
        reason += room(choice.limits);
        reason += claim<ClaimId::kChunkDrawn>(model::share(search_.trace.share), frames());
        if (choice.near_tie_bytes) {
            reason += claim<ClaimId::kChunkNearTie>(size, model::bytes(*choice.near_tie_bytes),
                                                    model::share(kCaptureNoise), model::share(kEqualWaste));
            reason += claim<ClaimId::kChunkSmallestOfTie>();
        }
        reason += claim<ClaimId::kChunkInFlight>(model::bytes(saturating_bytes(bucket.in_flight_bytes)),
                                                 model::bytes(saturating_bytes(bucket.expected_bytes)), frames());
        reason += claim<ClaimId::kChunkOnceMore>();
        reason += claim<ClaimId::kChunkWithinArticle>();
        reason += bound.reason;
        return reason;
    }

    static void list_rules(const BucketChoice& choice, std::vector<model::Alternative>& alternatives) {
        const Candidate& source = choice.source_rule;
        const std::uint64_t taken_bytes = choice.best.rule.chunk_bytes;
        const std::uint64_t source_bytes = source.rule.chunk_bytes;
        // The next sizes first: they are what people ask about; rules of the same size come last.
        std::vector<const Candidate*> others;
        for (const Candidate& other : choice.others) others.push_back(&other);
        std::ranges::stable_sort(others, {}, [&](const Candidate* other) {
            const int distance = std::countl_zero(other->rule.chunk_bytes) - std::countl_zero(taken_bytes);
            return other->rule.chunk_bytes == taken_bytes ? std::numeric_limits<int>::max() : std::abs(distance);
        });
        model::Statement why;
        for (const Candidate* each : others) {
            const Candidate& other = *each;
            const bool is_source_size = other.rule.chunk_bytes == source_bytes;
            // Which chunk takes a request is no question where both figures agree: it stands above.
            if (is_source_size && look_alike(other.figures, source.figures)) continue;
            why = why_lost(other, choice);
            why += describe(other.rule);
            if (is_source_size && other.rule.choice == model::ChunkChoice::kTightest)
                why += claim<ClaimId::kRuleTightest>();
            why += as_simulated(other);
            alternatives.push_back({.value = model::bytes(other.rule.chunk_bytes), .reason = std::move(why)});
        }
        if (choice.best.rule != source.rule) {
            why = taken_bytes == source_bytes ? claim<ClaimId::kArticleSameSize>() : why_lost(source, choice);
            why += describe<ClaimId::kArticleSimulated>(source.figures);
            alternatives.push_back({.value = model::bytes(source_bytes), .reason = std::move(why)});
        }
    }

    void list_groupings(std::vector<model::Alternative>& alternatives) const {
        for (const GroupingResult& other : search_.results) {
            const bool is_this_bucket = other.buckets.size() == 1 && best_.buckets.size() == 1;
            if (other.grouping == Grouping::kByAlignment && !is_this_bucket) {
                alternatives.push_back(
                    {.value = "max(M, H / K)", .reason = describe<ClaimId::kGroupingOfArticle>(other.source_figures)});
            }
            if (&other == &best_) continue;
            model::Statement why = describe<ClaimId::kGroupingSimulated>(other.figures);
            why += describe<ClaimId::kGroupingTaken>(best_.figures, to_string(best_.grouping));
            alternatives.push_back({.value = to_string(other.grouping), .reason = std::move(why)});
        }
        for (const UntriedGrouping& other : search_.untried) {
            const auto same = std::ranges::find_if(
                search_.results, [&](const GroupingResult& result) { return result.grouping == other.same_as; });
            model::Statement why = other.why;
            if (same != search_.results.end()) {
                why += claim<ClaimId::kGroupingSameAs>(to_string(same->grouping));
                why += describe<ClaimId::kGroupingSimulated>(same->figures);
            } else {
                why += other.same_as ? claim<ClaimId::kGroupingNorItsSame>() : claim<ClaimId::kGroupingNotSimulated>();
            }
            alternatives.push_back({.value = to_string(other.grouping), .reason = std::move(why)});
        }
        alternatives.push_back(
            {.value = "VulkanMemoryAllocator", .reason = describe<ClaimId::kGroupingOfVma>(search_.vma)});
    }

    [[nodiscard]] model::Claim room(const ChunkLimits& limits) const {
        const model::Figure heap = model::count(search_.heap.heap);
        const model::Figure usable = model::bytes(search_.heap.usable_bytes.value);
        if (!limits.most_bytes) return claim<ClaimId::kChunkNoRoom>(heap, usable);
        return claim<ClaimId::kChunkRoom>(model::bytes(saturating_bytes(*limits.most_bytes)), heap, usable);
    }

    [[nodiscard]] static model::Decided<model::ChunkChoice> decide_choice(const BucketDemand& bucket,
                                                                          const BucketChoice& choice) {
        model::Decided<model::ChunkChoice> decided;
        decided.value = choice.best.rule.choice;
        decided.why.inputs.push_back(bucket.largest->evidence);
        const bool tight = decided.value == model::ChunkChoice::kTightest;
        decided.why.reason = tight ? claim<ClaimId::kChoiceTightest>() : claim<ClaimId::kChoiceFullest>();
        decided.why.reason += as_simulated(choice.best);
        decided.why.reason += reach_of(bucket);
        for (const Candidate& other : choice.others) {
            if (other.rule.choice == decided.value || other.rule.chunk_bytes != choice.best.rule.chunk_bytes) continue;
            decided.why.alternatives.push_back(
                {.value = tight ? "fullest" : "tightest", .reason = as_simulated(other)});
            break;
        }
        return decided;
    }

    [[nodiscard]] static model::Decided<std::uint64_t> decide_threshold(const BucketDemand& bucket,
                                                                        const BucketChoice& choice) {
        model::Decided<std::uint64_t> decided;
        decided.value = choice.best.rule.dedicated_threshold_bytes;
        decided.why.inputs.push_back(bucket.largest->evidence);
        decided.why.reason = claim<ClaimId::kThresholdOfFew>();
        decided.why.reason += reach_of(bucket);
        decided.why.reason += as_simulated(choice.best);
        return decided;
    }

    [[nodiscard]] static model::ChunkGrowth decide_growth(const BucketDemand& bucket, const BucketChoice& choice) {
        model::ChunkGrowth growth;
        growth.first_chunk_bytes.value = choice.best.rule.first_bytes;
        growth.divisor.value = choice.best.rule.divisor;
        growth.first_chunk_bytes.why.inputs.push_back(bucket.largest->evidence);
        growth.first_chunk_bytes.why.reason = claim<ClaimId::kGrowthFirst>();
        growth.first_chunk_bytes.why.reason += as_simulated(choice.best);
        growth.first_chunk_bytes.why.reason += reach_of(bucket);
        growth.divisor.why.reason = claim<ClaimId::kGrowthDivisor>();
        growth.divisor.why.reason += as_simulated(choice.best);
        return growth;
    }

    [[nodiscard]] model::Figure budget() const {
        return model::nanoseconds(static_cast<double>(context_.workload.frame_budget_ns));
    }
    [[nodiscard]] model::Figure frames() const { return model::count(context_.workload.frames_in_flight); }

    const Context& context_;
    const OptimiseInputs& inputs_;
    const TypeSearch& search_;
    const GroupingResult& best_;
};

}  // namespace

const GroupingResult& TypeSearch::best() const {
    const GroupingResult& first = *std::ranges::min_element(results, [](const auto& one, const auto& other) {
        if (one.kept != other.kept) return one.kept < other.kept;
        return one.score < other.score;
    });
    const GroupingResult* fewest = &first;
    for (const GroupingResult& other : results) {
        const bool equally_good = other.kept == first.kept && other.score <= first.score + first.score_noise;
        if (equally_good && other.buckets.size() < fewest->buckets.size()) fewest = &other;
    }
    return *fewest;
}

std::vector<Bucket> finished_buckets(const Context& context, const OptimiseInputs& inputs, const TypeSearch& search) {
    const Finisher finisher(context, inputs, search);
    std::vector<Bucket> buckets;
    for (std::size_t index = 0; index < search.best().buckets.size(); ++index)
        buckets.push_back(finisher.finish(index));
    return buckets;
}

model::Statement sharing(const TypeSearch& search) {
    const GroupingResult& best = search.best();
    model::Statement told = describe<ClaimId::kTypeShares>(best.figures, model::count(search.memory_type));
    for (const GroupingResult& other : search.results) {
        if (other.grouping != best.grouping)
            told += describe<ClaimId::kGroupingInstead>(other.figures, to_string(other.grouping));
    }
    return told;
}

}  // namespace heapwright::policy
