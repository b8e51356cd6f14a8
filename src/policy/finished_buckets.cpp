#include "heapwright/policy/finished_buckets.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <limits>
#include <string_view>
#include <utility>

#include "heapwright/core/byte_text.hpp"
#include "heapwright/core/count_text.hpp"

namespace heapwright::policy {
namespace {

std::string_view to_string(Grouping grouping) {
    switch (grouping) {
        case Grouping::kByAlignment: return "one bucket for each class and alignment";
        case Grouping::kByClass: return "one bucket for each class";
        case Grouping::kSingle: return "a single bucket";
    }
    return {};
}

std::string_view to_string(LimitsKept kept) {
    switch (kept) {
        case LimitsKept::kAll:
            return "this one wastes least within the limits, the worst frame's part of the frame budget and eight "
                   "times the mean frame's counted as the same part of the workload's bytes";
        case LimitsKept::kOfDevice:
            return "none keeps to its part, and this one wastes least of those within the whole frame budget, the "
                   "policy's device allocations and the heap";
        case LimitsKept::kNone: return "none keeps the limits, and this is best";
    }
    return {};
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
        chunk.why.inputs.push_back(context_.cite_workload("/frame_budget_ns", std::to_string(budget_ns())));
        chunk.why.inputs.push_back(
            context_.cite_workload("/frames_in_flight", std::to_string(context_.workload.frames_in_flight)));
        for (const auto& input : inputs_.max_chunks.why.inputs) chunk.why.inputs.push_back(input);
        for (auto& input : search_.cost.evidence(chunk.value)) chunk.why.inputs.push_back(std::move(input));
        chunk.why.alternatives = bound.alternatives;
        list_rules(choice, chunk.why.alternatives);
        list_groupings(chunk.why.alternatives);
        return chunk;
    }

    [[nodiscard]] std::string chunk_reason(const BucketDemand& bucket, const BucketChoice& choice,
                                           const model::Decision& bound) const {
        std::string reason = fmt::format(
            "of {} simulated rules for this bucket {}: {}: {} ({} of the workload's resources were drawn, with {} in "
            "flight, {}; one frame of {} ns may spend 1/{} of its budget on device memory here, and the type take "
            "{}: {} times the {} of 256 MiB blocks, at most half of {}; {})",
            choice.others.size() + 2, to_string(choice.kept), describe(choice.best.rule), describe(choice.best.figures),
            fmt::format("{:.4g}%", 100 * search_.trace.share), counted(context_.workload.frames_in_flight, "frame"),
            search_.cost.source() + search_.cost.evidence_text(choice.best.rule.chunk_bytes), budget_ns(),
            search_.frame_parts, counted(search_.most_allocations, "device allocation"), kAllocationsRatio,
            search_.vma.peak_allocations, inputs_.max_chunks.value, bytes_text(choice.limits));
        reason +=
            fmt::format("; of a new chunk's cost {:.0f}% count in the frame that needs it, as others are kept ready",
                        100 * search_.chunk_share);
        if (choice.near_tie_bytes) {
            reason += fmt::format(
                "; {} to {} are equally good: within a quarter of the best one's time on device memory and {:.0f}% of "
                "the workload's bytes, which is what two captures of one device differ by; the smallest chunk is "
                "taken, so that the policy repeats",
                byte_text(choice.best.rule.chunk_bytes), byte_text(*choice.near_tie_bytes), 100 * kEqualWaste);
        }
        reason += in_flight_text(bucket);
        reason += fmt::format("; no size above the memory article's rule is tried: {}", bound.reason);
        return reason;
    }

    static void list_rules(const BucketChoice& choice, std::vector<model::Alternative>& alternatives) {
        alternatives.push_back(
            {.value = std::to_string(choice.source_rule.rule.chunk_bytes),
             .reason = fmt::format("the memory article's rule, simulated: {}; {}", describe(choice.source_rule.figures),
                                   choice.best.rule.chunk_bytes == choice.source_rule.rule.chunk_bytes
                                       ? "the same size, which takes the fullest chunk first"
                                       : why_lost(choice.source_rule, choice))});
        for (const Candidate& other : choice.others) {
            // Which chunk takes a request is no question where both figures agree: it stands above.
            if (other.rule.chunk_bytes == choice.source_rule.rule.chunk_bytes &&
                describe(other.figures) == describe(choice.source_rule.figures)) {
                continue;
            }
            const bool is_source_size = other.rule.chunk_bytes == choice.source_rule.rule.chunk_bytes;
            const bool is_tight = other.rule.choice == model::ChunkChoice::kTightest;
            alternatives.push_back(
                {.value = describe(other.rule) + (is_source_size && is_tight ? ", tightest chunk first" : ""),
                 .reason = fmt::format("simulated: {}; {}", describe(other.figures), why_lost(other, choice))});
        }
    }

    void list_groupings(std::vector<model::Alternative>& alternatives) const {
        for (const GroupingResult& other : search_.results) {
            const bool is_this_bucket = other.buckets.size() == 1 && best_.buckets.size() == 1;
            if (other.grouping == Grouping::kByAlignment && !is_this_bucket) {
                alternatives.push_back({.value = "max(M, H / K) in buckets by alignment",
                                        .reason = "the memory article's rule for the whole memory type, simulated: " +
                                                  describe(other.source_figures)});
            }
            if (&other == &best_) continue;
            alternatives.push_back(
                {.value = std::string(to_string(other.grouping)),
                 .reason = fmt::format("the whole memory type, simulated: {}; {} takes {}", describe(other.figures),
                                       to_string(best_.grouping), describe(best_.figures))});
        }
        for (const UntriedGrouping& other : search_.untried) {
            const auto same = std::ranges::find_if(
                search_.results, [&](const GroupingResult& result) { return result.grouping == other.same_as; });
            const std::string reason =
                same == search_.results.end()
                    ? fmt::format("not simulated{}: {}", other.same_as ? ", nor what it is the same as" : "", other.why)
                    : fmt::format("the same as {}, because {}; the whole memory type, simulated: {}",
                                  to_string(same->grouping), other.why, describe(same->figures));
            alternatives.push_back({.value = std::string(to_string(other.grouping)), .reason = reason});
        }
        alternatives.push_back({.value = "256 MiB blocks",
                                .reason = "the Vulkan Memory Allocator's default rule for the whole memory type, "
                                          "simulated: " +
                                          describe(search_.vma)});
    }

    [[nodiscard]] std::string in_flight_text(const BucketDemand& bucket) const {
        return fmt::format(
            "; of the {} bytes expected here, {} are what {} in flight still {}: what one frame needs exists once more "
            "for each of them, and what churn gives up lives on as long",
            saturating_bytes(bucket.expected_bytes), saturating_bytes(bucket.in_flight_bytes),
            counted(context_.workload.frames_in_flight, "frame"),
            context_.workload.frames_in_flight == 1 ? "uses" : "use");
    }

    [[nodiscard]] std::string bytes_text(const ChunkLimits& limits) const {
        if (limits.most_bytes) {
            return fmt::format("the bucket may reserve {} bytes, its part of heap {}'s {} usable bytes",
                               saturating_bytes(*limits.most_bytes), search_.heap.heap,
                               search_.heap.usable_bytes.value);
        }
        return fmt::format(
            "the workload's resources alone take more than heap {}'s {} usable bytes, which no rule for "
            "chunks mends",
            search_.heap.heap, search_.heap.usable_bytes.value);
    }

    [[nodiscard]] static model::Decided<model::ChunkChoice> decide_choice(const BucketDemand& bucket,
                                                                          const BucketChoice& choice) {
        model::Decided<model::ChunkChoice> decided;
        decided.value = choice.best.rule.choice;
        decided.why.inputs.push_back(bucket.largest->evidence);
        const bool tight = decided.value == model::ChunkChoice::kTightest;
        decided.why.reason = fmt::format("{}: simulated with these chunks: {}; the largest resource takes {} bytes",
                                         tight ? "a request goes where it leaves the least behind, so that large free "
                                                 "ranges stay whole"
                                               : "the emptier chunks drain and can be given back",
                                         describe(choice.best.figures), bucket.largest_bytes);
        for (const Candidate& other : choice.others) {
            if (other.rule.choice == decided.value || other.rule.chunk_bytes != choice.best.rule.chunk_bytes) continue;
            decided.why.alternatives.push_back(
                {.value = tight ? "fullest" : "tightest", .reason = "simulated: " + describe(other.figures)});
            break;
        }
        return decided;
    }

    [[nodiscard]] static model::Decided<std::uint64_t> decide_threshold(const BucketDemand& bucket,
                                                                        const BucketChoice& choice) {
        model::Decided<std::uint64_t> decided;
        decided.value = choice.best.rule.dedicated_threshold_bytes;
        decided.why.inputs.push_back(bucket.largest->evidence);
        decided.why.reason = fmt::format(
            "resources here reach {} bytes ({}): the few above this would make every chunk larger, or leave much of "
            "one empty; simulated with the chunk size: {}",
            bucket.largest_bytes, bucket.largest->what, describe(choice.best.figures));
        return decided;
    }

    [[nodiscard]] static model::ChunkGrowth decide_growth(const BucketDemand& bucket, const BucketChoice& choice) {
        model::ChunkGrowth growth;
        growth.first_chunk_bytes.value = choice.best.rule.first_bytes;
        growth.divisor.value = choice.best.rule.divisor;
        growth.first_chunk_bytes.why.inputs.push_back(bucket.largest->evidence);
        growth.first_chunk_bytes.why.reason = fmt::format(
            "a quarter of the chunk size, so that a bucket with little in it holds little; simulated: {}; "
            "resources here reach {} bytes",
            describe(choice.best.figures), bucket.largest_bytes);
        growth.divisor.why.reason = fmt::format(
            "a new chunk is at most this part of what the bucket holds; simulated: {}", describe(choice.best.figures));
        return growth;
    }

    [[nodiscard]] std::uint64_t budget_ns() const { return context_.workload.frame_budget_ns; }

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

std::string sharing_text(const TypeSearch& search) {
    const GroupingResult& best = search.best();
    std::string text = fmt::format("memory type {} shares: {} simulated", search.memory_type, describe(best.figures));
    for (const GroupingResult& other : search.results) {
        if (other.grouping != best.grouping)
            text += fmt::format(", {} with {}", describe(other.figures), to_string(other.grouping));
    }
    return text;
}

}  // namespace heapwright::policy
