#include "policy/article_rule.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <limits>
#include <string>
#include <utility>

#include "contract/bucket_choice.hpp"
#include "contract/feasibility.hpp"
#include "core/checked.hpp"
#include "core/units.hpp"
#include "model/claims.hpp"
#include "policy/advise.hpp"
#include "policy/heap_budget.hpp"

namespace heapwright::policy {

using model::claim;
using model::ClaimId;

namespace {

constexpr std::uint32_t kDefaultLargestSide = 4096;
constexpr std::uint64_t kSourceFigure = 64'000'000;

SizedResource default_largest(const Context& context) {
    static const model::ImageHint hint{};  // RGBA8, optimal, sampled
    const ImageSizer sizer(context, hint);
    if (auto sized = sizer.size(kDefaultLargestSide, kDefaultLargestSide)) return *sized;
    const std::uint64_t texels = std::uint64_t{kDefaultLargestSide} * kDefaultLargestSide;
    return {.requirements = {.size_bytes = 4 * texels},
            .source = SizeSource::kAssumed,
            .evidence = context.cite_device("/image_sweep/cases", "no 4096x4096 RGBA8")};
}

// At most a sixteenth of the size, so that rounding costs little.
std::uint64_t rounding_unit(std::uint64_t size, std::uint64_t granule) {
    return std::max(granule, std::min(kMiB, std::bit_floor(std::max<std::uint64_t>(1, size / 16))));
}

void add_inputs(std::vector<model::DecisionInput>& inputs, const std::vector<model::DecisionInput>& more) {
    for (const model::DecisionInput& input : more) {
        const bool known = std::any_of(inputs.begin(), inputs.end(), [&input](const model::DecisionInput& other) {
            return other.document == input.document && other.path == input.path;
        });
        if (!known) inputs.push_back(input);
    }
}

// The bucket of the same type and classes with the smallest alignment that is not below this one's.
const Bucket* merging_partner(const std::vector<Bucket>& buckets, const Bucket& bucket) {
    const Bucket* best = nullptr;
    for (const Bucket& other : buckets) {
        if (&other == &bucket || other.policy.memory_type != bucket.policy.memory_type ||
            other.policy.resource_classes != bucket.policy.resource_classes ||
            other.policy.alignment_bytes < bucket.policy.alignment_bytes) {
            continue;
        }
        if (best == nullptr || other.policy.alignment_bytes < best->policy.alignment_bytes) best = &other;
    }
    return best;
}

}  // namespace

LargestOrdinary decide_largest_ordinary(const Context& context, std::span<const PlacedDemand> placed,
                                        model::DedicatedRule rule) {
    const SizedResource limit = default_largest(context);
    const std::uint64_t limit_bytes = limit.requirements.size_bytes;
    const Demand* largest = nullptr;
    const Demand* beyond = nullptr;
    for (const PlacedDemand& entry : placed) {
        const Demand& demand = *entry.demand;
        if (contract::follows_driver(demand.requirements.dedicated, rule)) continue;
        const Demand*& slot = demand.requirements.size_bytes <= limit_bytes ? largest : beyond;
        if (slot == nullptr || demand.requirements.size_bytes > slot->requirements.size_bytes) slot = &demand;
    }

    LargestOrdinary result{.bytes = {}, .deciding_inputs = {}, .bound_bytes = limit_bytes};
    model::Decided<std::uint64_t>& decided = result.bytes;
    if (largest == nullptr) {
        decided.value = limit_bytes;
        result.deciding_inputs = {limit.evidence};
        decided.why.inputs = result.deciding_inputs;
        decided.why.reason = claim<ClaimId::kOrdinaryNone>();
    } else {
        decided.value = largest->requirements.size_bytes;
        decided.why.reason = claim<ClaimId::kOrdinaryLargest>(model::bytes(decided.value), largest->what);
        result.deciding_inputs = largest->hint_inputs;
        result.deciding_inputs.push_back(largest->evidence);
        decided.why.inputs = result.deciding_inputs;
        if (limit.evidence.path != largest->evidence.path) decided.why.inputs.push_back(limit.evidence);
        if (limit_bytes > decided.value) {
            decided.why.alternatives.push_back(
                {.value = model::bytes(limit_bytes), .reason = claim<ClaimId::kOrdinaryBoundLost>()});
        }
    }
    decided.why.reason += claim<ClaimId::kOrdinaryBound>(model::bytes(limit_bytes));
    if (limit.source != SizeSource::kExact) decided.why.reason += claim<ClaimId::kOrdinaryBoundAssumed>();
    if (beyond != nullptr) {
        decided.why.alternatives.push_back({.value = model::bytes(beyond->requirements.size_bytes),
                                            .reason = claim<ClaimId::kOrdinaryBeyondLost>(beyond->what)});
    }
    decided.why.alternatives.push_back({.value = model::bytes(kSourceFigure),
                                        .reason = claim<ClaimId::kOrdinaryArticleLost>(model::bytes(limit_bytes))});
    return result;
}

model::Decided<std::uint64_t> source_chunk(const Context& context, const BucketDemand& bucket,
                                           const model::HeapPolicy& heap, const LargestOrdinary& largest) {
    const std::uint64_t largest_bytes = largest.bytes.value;
    const std::uint64_t granule = bucket.unit_bytes();
    const std::uint64_t usable = heap.usable_bytes.value;
    const std::uint64_t part = heap.size_bytes / std::max<std::uint64_t>(1, heap.parts.value);
    const auto limit = find_limit(context, "maxMemoryAllocationSize", {}, model::Unit::kBytes);

    const std::uint64_t as_it_stands = std::max(largest_bytes, part);
    const std::uint64_t unit = rounding_unit(as_it_stands, granule);
    const std::uint64_t rounded =
        checked_align_up(as_it_stands, unit).value_or(align_down(std::numeric_limits<std::uint64_t>::max(), unit));
    const std::uint64_t eighth = align_down(usable / contract::kFewestChunks, granule);
    std::uint64_t value = std::min(rounded, eighth);
    if (limit) value = std::min(value, align_down(limit->value, granule));
    model::Decided<std::uint64_t> chunk;
    chunk.value = std::max({value, bucket.largest_bytes, bucket.alignment_bytes});

    std::vector<model::DecisionInput>& inputs = chunk.why.inputs;
    inputs.push_back(
        context.cite_device(fmt::format("/heaps/{}/size_bytes", heap.heap), model::bytes(heap.size_bytes)));
    add_inputs(inputs, heap.usable_bytes.why.inputs);
    if (heap.parts.value != kDefaultParts) add_inputs(inputs, heap.parts.why.inputs);
    add_inputs(inputs, largest.deciding_inputs);
    if (limit) inputs.push_back(limit->input);
    add_inputs(inputs, {bucket.largest->evidence});

    const model::Figure m = model::bytes(largest_bytes);
    const model::Figure h = model::bytes(heap.size_bytes);
    const model::Figure k = model::count(heap.parts.value);
    model::Statement& reason = chunk.why.reason;
    reason = claim<ClaimId::kSourceChunk>(model::bytes(as_it_stands));
    reason += claim<ClaimId::kSourceParts>(m, h, k, model::bytes(part));
    reason += claim<ClaimId::kSourceRounded>(model::bytes(rounded), model::bytes(unit));
    const model::Figure bound = model::bytes(eighth);
    const model::Figure index = model::count(heap.heap);
    const model::Figure whole = model::bytes(usable);
    reason += rounded > eighth ? claim<ClaimId::kSourceHeldToHeap>(bound, index, whole)
                               : claim<ClaimId::kSourceWithinHeap>(bound, index, whole);
    if (!limit) {
        reason += claim<ClaimId::kSourceLimitUntold>();
    } else if (limit->value < std::min(rounded, eighth)) {
        reason += claim<ClaimId::kSourceHeldToLimit>(model::bytes(limit->value));
    } else {
        reason += claim<ClaimId::kSourceWithinLimit>(model::bytes(limit->value));
    }
    const model::Figure own = model::bytes(bucket.largest_bytes);
    reason += bucket.largest_bytes > value ? claim<ClaimId::kSourceRaised>(own, bucket.largest->what)
                                           : claim<ClaimId::kSourceNotBelow>(own, bucket.largest->what);
    if (chunk.value > std::max(value, bucket.largest_bytes))
        reason += claim<ClaimId::kSourceRaisedToAlignment>(model::bytes(bucket.alignment_bytes));

    std::vector<model::Alternative>& alternatives = chunk.why.alternatives;
    if (as_it_stands != chunk.value) {
        alternatives.push_back(
            {.value = model::bytes(as_it_stands), .reason = claim<ClaimId::kSourceAsItStandsLost>(m, h, k)});
    }
    if (part > largest_bytes) {
        const std::uint64_t chunks = heap.size_bytes / std::max<std::uint64_t>(1, largest_bytes);
        alternatives.push_back({.value = m, .reason = claim<ClaimId::kSourceLargestLost>(model::count(chunks), k)});
    } else {
        alternatives.push_back({.value = model::bytes(part), .reason = claim<ClaimId::kSourcePartLost>(m)});
    }
    return chunk;
}

std::vector<Bucket> source_buckets(const Context& context, const BucketInputs& inputs,
                                   std::span<const model::HeapPolicy> heaps, const LargestOrdinary& largest,
                                   model::Statement& warnings) {
    warn_of_humongous(inputs, warnings);
    std::vector<Bucket> buckets;
    for (const BucketDemand& demand : group_demand(context, inputs)) {
        model::Decided<model::ChunkChoice> choice{.value = model::ChunkChoice::kFullest, .why = {}};
        choice.why.reason = claim<ClaimId::kChoiceFullest>();
        buckets.push_back(
            with_chunks(demand, source_chunk(context, demand, heaps[demand.heap], largest), std::move(choice)));
    }
    return buckets;
}

void list_merging_alternatives(std::vector<Bucket>& buckets) {
    for (Bucket& bucket : buckets) {
        auto& decided = bucket.policy.chunk_size_bytes;
        if (bucket.policy.expected_bytes >= decided.value) continue;
        const Bucket* partner = merging_partner(buckets, bucket);
        if (partner == nullptr) continue;
        decided.why.alternatives.push_back({.value = partner->policy.id,
                                            .reason = claim<ClaimId::kMergeLost>(
                                                model::bytes(decided.value), model::bytes(bucket.policy.expected_bytes),
                                                model::bytes(partner->policy.granule_bytes.value))});
    }
}

namespace {

void cover(model::DevicePolicy& source, const model::DevicePolicy& policy) {
    const std::size_t own = source.buckets.size();
    for (const model::BucketPolicy& wanted : policy.buckets) {
        for (const model::ResourceClass kind : wanted.resource_classes) {
            std::uint64_t chunk_bytes = wanted.chunk_size_bytes.value;
            bool is_covered = false;
            for (std::size_t i = 0; i < source.buckets.size(); ++i) {
                const model::BucketPolicy& bucket = source.buckets[i];
                if (bucket.memory_type != wanted.memory_type) continue;
                if (i < own) chunk_bytes = std::max(chunk_bytes, bucket.chunk_size_bytes.value);
                is_covered |= bucket.alignment_bytes >= wanted.alignment_bytes &&
                              std::ranges::count(bucket.resource_classes, kind) != 0;
            }
            if (is_covered) continue;
            model::BucketPolicy added = wanted;
            added.id.push_back('/');
            added.id.append(std::to_string(source.buckets.size()));
            added.resource_classes = {kind};
            added.chunk_size_bytes.value = chunk_bytes;
            added.growth.reset();
            added.dedicated_threshold_bytes.reset();
            added.chunks_ahead.reset();
            added.chunk_choice.value = model::ChunkChoice::kFullest;
            source.buckets.push_back(std::move(added));
        }
    }
    source.memory_uses = policy.memory_uses;
}

}  // namespace

Result<model::DevicePolicy> policy_by_source_rule(const model::DeviceReport& facts, const model::Workload& workload,
                                                  const model::DevicePolicy& other) {
    HEAPWRIGHT_ASSIGN(model::DevicePolicy source,
                      advise(facts, workload, 0, {.rule = ChunkRuleName::kSource, .with_expectations = false}));
    cover(source, other);
    return source;
}

}  // namespace heapwright::policy
