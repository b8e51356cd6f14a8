#include "heapwright/policy/type_optimiser.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <limits>
#include <optional>
#include <set>

#include "heapwright/core/checked.hpp"
#include "heapwright/core/count_text.hpp"

namespace heapwright::policy {
namespace {

constexpr std::uint64_t kFewestAllocations = 8;
constexpr const char* kShareAndOneAlignment = "classes share chunks anyway, and all resources here have one alignment";

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

struct GroupingResult {
    Grouping grouping = Grouping::kByAlignment;
    std::vector<Bucket> buckets;
    std::vector<ChunkPlan> plans;
    std::vector<BucketChoice> choices;
    SimulatedFigures figures;
    SimulatedFigures source_figures;
    LimitsKept kept = LimitsKept::kAll;
    double score = 0;
};

// A grouping that is not simulated.
struct Untried {
    Grouping grouping = Grouping::kSingle;
    std::optional<Grouping> same_as;
    std::string why;
};

class TypeOptimiser {
public:
    TypeOptimiser(const Context& context, const OptimiseInputs& inputs, TypeInputs type)
        : context_(context),
          inputs_(inputs),
          type_(std::move(type)),
          heap_(inputs.heaps[context.device.memory_types[type_.memory_type].heap_index]),
          cost_(context, type_.memory_type) {
        for (const PlacedDemand& entry : inputs.buckets.placed) {
            if (entry.memory_type == type_.memory_type && is_ordinary(*entry.demand, inputs.buckets))
                placed_.push_back(entry);
        }
        SampleOptions sample = inputs.sample;
        sample.most_bytes = heap_.usable_bytes.value;
        trace_ = sample_trace(context.workload, placed_, type_.all_units, sample);
        vma_ = simulate_vma(trace_, context.device.heaps[heap_.heap].size_bytes,
                            context.device.limit("bufferImageGranularity").value_or(1), cost_);
        const std::uint64_t own = std::max(kFewestAllocations, vma_.peak_allocations * kAllocationsRatio);
        most_allocations_ = std::max<std::uint64_t>(1, std::min(own, inputs.max_chunks.value / 2));
    }

    void run(OptimisedBuckets& result) {
        std::vector<GroupingResult> results;
        for (const Grouping grouping : groupings()) {
            auto tried = try_grouping(grouping);
            if (tried) results.push_back(std::move(*tried));
        }
        const auto best = std::min_element(results.begin(), results.end(), [](const auto& one, const auto& other) {
            if (one.kept != other.kept) return one.kept < other.kept;
            return one.score < other.score;
        });
        describe_best(*best, results);
        for (const BucketChoice& choice : best->choices) {
            result.most_new_chunks.push_back(choice.best.figures.most_new_chunks);
            result.worst_frame_ns += choice.best.figures.worst_frame_ns;
        }
        for (Bucket& bucket : best->buckets) {
            if (bucket.mixes_classes) note_sharing(*best, results, result.shared_classes);
            result.buckets.push_back(std::move(bucket));
        }
        std::move(best->plans.begin(), best->plans.end(), std::back_inserter(result.plans));
    }

private:
    [[nodiscard]] std::vector<Grouping> groupings() {
        std::set<std::uint64_t> alignments;
        std::set<model::ResourceClass> classes;
        for (const PlacedDemand& entry : placed_) {
            alignments.insert(entry.demand->requirements.alignment_bytes);
            classes.insert(entry.demand->resource_class);
        }
        std::vector<Grouping> all{Grouping::kByAlignment};
        const bool separates = inputs_.buckets.separate_linear_and_optimal;
        if (separates && alignments.size() > 1) {
            all.push_back(Grouping::kByClass);
        } else {
            const bool one_alignment = alignments.size() == 1;
            untried_.push_back({.grouping = Grouping::kByClass,
                                .same_as = one_alignment ? Grouping::kByAlignment : Grouping::kSingle,
                                .why = separates       ? "all resources here have one alignment"
                                       : one_alignment ? kShareAndOneAlignment
                                                       : "classes share chunks anyway"});
        }
        if (separates ? classes.size() > 1 : alignments.size() > 1) {
            all.push_back(Grouping::kSingle);
        } else if (alignments.size() == 1) {
            untried_.push_back(
                {.same_as = Grouping::kByAlignment,
                 .why = separates ? "all resources here are of one class and one alignment" : kShareAndOneAlignment});
        } else {
            untried_.push_back({.same_as = Grouping::kByClass, .why = "all resources here are of one class"});
        }
        return all;
    }

    [[nodiscard]] bool fits(const Bucket& bucket) const {
        const auto limit = find_limit(context_, "maxMemoryAllocationSize");
        return bucket.largest_bytes <= inputs_.heaps[bucket.heap].usable_bytes.value &&
               (!limit || bucket.largest_bytes <= limit->value);
    }

    [[nodiscard]] ChunkLimits limits_of(const Bucket& bucket, double share, std::size_t buckets) const {
        const auto part = [&](std::uint64_t all) {
            return std::max<std::uint64_t>(2, static_cast<std::uint64_t>(static_cast<double>(all) * share));
        };
        ChunkLimits limits{.frame_budget_ns = std::max<std::uint64_t>(1, budget_ns()),
                           .frame_parts = type_.frame_parts,
                           .wanted_allocations = part(most_allocations_),
                           .allowed_allocations = part(inputs_.max_chunks.value / 2),
                           .expected_bytes = bucket.expected_bytes,
                           .simulated_share = trace_.share_of_held};
        if (type_.room.spare_bytes) {
            const double types = std::max(1u, type_.room.memory_types);
            limits.most_bytes = bucket.expected_bytes + *type_.room.spare_bytes / types / static_cast<double>(buckets);
        }
        return limits;
    }

    [[nodiscard]] std::optional<GroupingResult> try_grouping(Grouping grouping) {
        GroupingResult result{.grouping = grouping};
        BucketInputs inputs = inputs_.buckets;
        inputs.placed = placed_;
        inputs.grouping = grouping;
        std::vector<std::string> unused;
        result.buckets = make_buckets(context_, inputs, unused);
        // Padding may take a resource beyond its heap; the source's own buckets always fit.
        if (grouping != Grouping::kByAlignment &&
            !std::ranges::all_of(result.buckets, [&](const Bucket& bucket) { return fits(bucket); })) {
            untried_.push_back({.grouping = grouping,
                                .why = "its largest resource, padded to what all others need, is more than heap " +
                                       std::to_string(heap_.heap) + " or one allocation may hold"});
            return std::nullopt;
        }

        std::vector<SimulatedFigures> best;
        std::vector<SimulatedFigures> source;
        double expected = 0;
        for (const Bucket& bucket : result.buckets) expected += bucket.expected_bytes;
        for (const Bucket& bucket : result.buckets) {
            result.plans.push_back(plan_chunk(context_, bucket, inputs_.heaps[bucket.heap], inputs_.largest));
            const double share = expected > 0 ? bucket.expected_bytes / expected : 1.0;
            result.choices.push_back(search_chunks(bucket, result.plans.back(),
                                                   {.trace = trace_,
                                                    .cost = cost_,
                                                    .grouping = grouping,
                                                    .all_used_bytes = used_bytes(),
                                                    .limits = limits_of(bucket, share, result.buckets.size())}));
            best.push_back(result.choices.back().best.figures);
            source.push_back(result.choices.back().source_rule.figures);
            result.kept = std::max(result.kept, result.choices.back().kept);
        }
        result.figures = sum(best);
        result.source_figures = sum(source);
        result.score = score(result.figures, used_bytes(), std::max<std::uint64_t>(1, budget_ns()));
        return result;
    }

    // Of the part that is simulated.
    [[nodiscard]] double used_bytes() const {
        return std::max(vma_.mean_used_bytes, type_.workload_bytes * trace_.share);
    }
    [[nodiscard]] std::uint64_t budget_ns() const { return context_.workload.frame_budget_ns; }

    void describe_best(GroupingResult& best, const std::vector<GroupingResult>& results) const {
        for (std::size_t index = 0; index < best.buckets.size(); ++index) {
            const BucketChoice& choice = best.choices[index];
            Bucket& bucket = best.buckets[index];
            ChunkPlan& plan = best.plans[index];
            const ChunkRule& rule = choice.best.rule;
            describe_chunk(best, bucket, choice, results, plan);
            bucket.policy.chunk_choice = decide_choice(bucket, choice);
            plan.value_bytes = rule.chunk_bytes;
            const std::uint64_t unit = std::max(bucket.policy.granule_bytes.value, bucket.policy.alignment_bytes);
            if (rule.dedicated_threshold_bytes != std::numeric_limits<std::uint64_t>::max()) {
                // What is above the threshold needs no chunk, so the chunk may shrink below the largest resource.
                plan.smallest_bytes = std::min(plan.smallest_bytes, std::min(rule.chunk_bytes, std::max(unit, kMiB)));
                bucket.policy.dedicated_threshold_bytes = decide_threshold(bucket, choice);
            }
            if (rule.first_bytes < rule.chunk_bytes) bucket.policy.growth = decide_growth(bucket, choice);
        }
    }

    void describe_chunk(const GroupingResult& best, const Bucket& bucket, const BucketChoice& choice,
                        const std::vector<GroupingResult>& results, ChunkPlan& plan) const {
        const std::string bound = std::move(plan.why.reason);
        plan.why.reason = fmt::format(
            "of {} simulated rules for this bucket {}: {}: {} ({} of the workload's resources were drawn, with {} in "
            "flight, {}; one frame of {} ns may spend 1/{} of its budget on device memory here, and the type take "
            "{}: {} times the {} of 256 MiB blocks, at most half of {}; {})",
            choice.others.size() + 2, to_string(choice.kept), describe(choice.best.rule), describe(choice.best.figures),
            fmt::format("{:.4g}%", 100 * trace_.share), counted(context_.workload.frames_in_flight, "frame"),
            cost_.source(), budget_ns(), type_.frame_parts, counted(most_allocations_, "device allocation"),
            kAllocationsRatio, vma_.peak_allocations, inputs_.max_chunks.value, bytes_text(choice.limits));
        plan.why.reason +=
            "; a chunk counts as taken by the frame that needs it even where chunks are kept ready, because an "
            "application without background work and a request that comes before its chunk is ready both wait for it: "
            "counting on them would allow chunks that then break the frame";
        if (choice.near_tie_bytes) {
            plan.why.reason += fmt::format(
                "; {} scored better by less than a quarter of its time on device memory, which is what two captures of "
                "one device differ by: of such near ties the smallest chunk is taken, so that the policy repeats",
                *choice.near_tie_bytes);
        }
        plan.why.reason += in_flight_text(bucket);
        plan.why.reason += fmt::format("; no size above the source's rule is tried: {}", bound);
        plan.why.inputs.push_back(context_.cite_workload("/frame_budget_ns", std::to_string(budget_ns())));
        plan.why.inputs.push_back(
            context_.cite_workload("/frames_in_flight", std::to_string(context_.workload.frames_in_flight)));
        for (const auto& input : inputs_.max_chunks.why.inputs) plan.why.inputs.push_back(input);
        for (auto& input : cost_.evidence(choice.best.rule.chunk_bytes)) plan.why.inputs.push_back(std::move(input));

        auto& alternatives = plan.why.alternatives;
        alternatives.push_back(
            {.value = std::to_string(choice.source_rule.rule.chunk_bytes),
             .reason = fmt::format("the source's rule, simulated: {}; {}", describe(choice.source_rule.figures),
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
        for (const GroupingResult& other : results) {
            const bool is_this_bucket = other.buckets.size() == 1 && best.buckets.size() == 1;
            if (other.grouping == Grouping::kByAlignment && !is_this_bucket) {
                alternatives.push_back({.value = "max(M, H / K) in buckets by alignment",
                                        .reason = "the source's rule for the whole memory type, simulated: " +
                                                  describe(other.source_figures)});
            }
            if (&other.figures == &best.figures) continue;
            alternatives.push_back(
                {.value = std::string(to_string(other.grouping)),
                 .reason = fmt::format("the whole memory type, simulated: {}; {} takes {}", describe(other.figures),
                                       to_string(best.grouping), describe(best.figures))});
        }
        for (const Untried& other : untried_) {
            const auto same = std::ranges::find_if(
                results, [&](const GroupingResult& result) { return result.grouping == other.same_as; });
            const std::string reason =
                same == results.end()
                    ? fmt::format("not simulated{}: {}", other.same_as ? ", nor what it is the same as" : "", other.why)
                    : fmt::format("the same as {}, because {}; the whole memory type, simulated: {}",
                                  to_string(same->grouping), other.why, describe(same->figures));
            alternatives.push_back({.value = std::string(to_string(other.grouping)), .reason = reason});
        }
        alternatives.push_back({.value = "256 MiB blocks",
                                .reason = "the Vulkan Memory Allocator's default rule for the whole memory type, "
                                          "simulated: " +
                                          describe(vma_)});
    }

    [[nodiscard]] std::string in_flight_text(const Bucket& bucket) const {
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
                               saturating_bytes(*limits.most_bytes), heap_.heap, heap_.usable_bytes.value);
        }
        return fmt::format(
            "the workload's resources alone take more than heap {}'s {} usable bytes, which no rule for "
            "chunks mends",
            heap_.heap, heap_.usable_bytes.value);
    }

    [[nodiscard]] static model::Decided<model::ChunkChoice> decide_choice(const Bucket& bucket,
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

    [[nodiscard]] static model::Decided<std::uint64_t> decide_threshold(const Bucket& bucket,
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

    [[nodiscard]] model::ChunkGrowth decide_growth(const Bucket& bucket, const BucketChoice& choice) const {
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

    void note_sharing(const GroupingResult& best, const std::vector<GroupingResult>& results, std::string& note) const {
        note += fmt::format("{}memory type {} shares: {} simulated", note.empty() ? "" : "; ", type_.memory_type,
                            describe(best.figures));
        for (const GroupingResult& other : results) {
            if (other.grouping != best.grouping)
                note += fmt::format(", {} with {}", describe(other.figures), to_string(other.grouping));
        }
    }

    const Context& context_;
    const OptimiseInputs& inputs_;
    TypeInputs type_;
    const model::HeapPolicy& heap_;
    AllocationCost cost_;
    std::vector<PlacedDemand> placed_;
    SampledTrace trace_;
    SimulatedFigures vma_;
    std::uint64_t most_allocations_ = 1;
    std::vector<Untried> untried_;
};

}  // namespace

void optimise_type(const Context& context, const OptimiseInputs& inputs, const TypeInputs& type,
                   OptimisedBuckets& result) {
    TypeOptimiser(context, inputs, type).run(result);
}

}  // namespace heapwright::policy
