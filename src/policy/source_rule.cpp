#include "heapwright/policy/source_rule.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <limits>

#include "heapwright/contract/bucket_choice.hpp"
#include "heapwright/contract/feasibility.hpp"
#include "heapwright/core/checked.hpp"
#include "heapwright/core/count_text.hpp"
#include "heapwright/policy/heap_budget.hpp"

namespace heapwright::policy {
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
            .evidence = context.cite_device("/image_sweep/cases", "no answer for a 4096x4096 RGBA8 image")};
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
    const std::string limit_text =
        fmt::format("a 4096x4096 RGBA8 image, which takes {} bytes here{}", limit_bytes,
                    limit.source == SizeSource::kExact ? "" : " (not the driver's own answer)");
    if (largest == nullptr) {
        decided.value = limit_bytes;
        result.deciding_inputs = {limit.evidence};
        decided.why.inputs = result.deciding_inputs;
        decided.why.reason = fmt::format("the workload has no ordinary resource up to the default: {}", limit_text);
    } else {
        decided.value = largest->requirements.size_bytes;
        decided.why.reason = fmt::format(
            "the largest ordinary resource of the workload is {} with {} bytes ({}); the default bound is {}",
            largest->what, decided.value, largest->evidence.value, limit_text);
        result.deciding_inputs = largest->hint_inputs;
        result.deciding_inputs.push_back(largest->evidence);
        decided.why.inputs = result.deciding_inputs;
        if (limit.evidence.path != largest->evidence.path) decided.why.inputs.push_back(limit.evidence);
        if (limit_bytes > decided.value) {
            decided.why.alternatives.push_back(
                {.value = std::to_string(limit_bytes),
                 .reason = "the default bound: larger than anything ordinary that this workload asks for"});
        }
    }
    if (beyond != nullptr) {
        decided.why.alternatives.push_back(
            {.value = std::to_string(beyond->requirements.size_bytes),
             .reason =
                 fmt::format("{} is above the default bound: as a humongous resource it gets an allocation of its "
                             "own, and chunks need not grow for it",
                             beyond->what)});
    }
    decided.why.alternatives.push_back(
        {.value = std::to_string(kSourceFigure),
         .reason = fmt::format("the source's figure for a 4096x4096 RGBA8 image, which it cannot hold ({} bytes)",
                               limit_bytes)});
    return result;
}

model::Decided<std::uint64_t> source_chunk(const Context& context, const BucketDemand& bucket,
                                           const model::HeapPolicy& heap, const LargestOrdinary& largest) {
    const std::uint64_t largest_bytes = largest.bytes.value;
    const std::uint64_t granule = bucket.unit_bytes();
    const std::uint64_t usable = heap.usable_bytes.value;
    const std::uint64_t part = heap.size_bytes / std::max<std::uint64_t>(1, heap.parts.value);
    const auto limit = find_limit(context, "maxMemoryAllocationSize");

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
        context.cite_device(fmt::format("/heaps/{}/size_bytes", heap.heap), std::to_string(heap.size_bytes)));
    add_inputs(inputs, heap.usable_bytes.why.inputs);
    if (heap.parts.value != kDefaultParts) add_inputs(inputs, heap.parts.why.inputs);
    add_inputs(inputs, largest.deciding_inputs);
    if (limit) inputs.push_back(limit->input);
    add_inputs(inputs, {bucket.largest->evidence});

    chunk.why.reason = fmt::format("max(M, H / K) = max({}, {} / {} = {}) = {}, rounded up to {} (a multiple of {})",
                                   largest_bytes, heap.size_bytes, heap.parts.value, part, as_it_stands, rounded, unit);
    chunk.why.reason += fmt::format("; {} an eighth of heap {}'s {} usable bytes, {}",
                                    rounded > eighth ? "held down to" : "within", heap.heap, usable, eighth);
    chunk.why.reason +=
        limit ? fmt::format("; {} maxMemoryAllocationSize {}",
                            limit->value < std::min(rounded, eighth) ? "held down to" : "within", limit->value)
              : std::string("; maxMemoryAllocationSize is not reported");
    chunk.why.reason +=
        fmt::format("; {} the {} bytes of the bucket's largest resource, {}",
                    chunk.value > value ? "raised to" : "not below", bucket.largest_bytes, bucket.largest->what);
    if (chunk.value > std::max(value, bucket.largest_bytes))
        chunk.why.reason += fmt::format("; raised to the alignment of {} bytes", bucket.alignment_bytes);

    if (as_it_stands != chunk.value) {
        chunk.why.alternatives.push_back(
            {.value = std::to_string(as_it_stands),
             .reason = fmt::format("the memory article's max(M, H / K) as it stands, with M = {}, H = {} and K = {}",
                                   largest_bytes, heap.size_bytes, heap.parts.value)});
    }
    chunk.why.alternatives.push_back(
        part > largest_bytes
            ? model::Alternative{.value = std::to_string(largest_bytes),
                                 .reason = fmt::format(
                                     "M alone: {} to fill the heap instead of {}",
                                     counted(heap.size_bytes / std::max<std::uint64_t>(1, largest_bytes), "chunk"),
                                     heap.parts.value)}
            : model::Alternative{
                  .value = std::to_string(part),
                  .reason = fmt::format("H / K alone: cannot hold the largest ordinary resource of {} bytes",
                                        largest_bytes)});
    return chunk;
}

std::vector<Bucket> source_buckets(const Context& context, const BucketInputs& inputs,
                                   std::span<const model::HeapPolicy> heaps, const LargestOrdinary& largest,
                                   std::vector<std::string>& warnings) {
    warn_of_humongous(inputs, warnings);
    std::vector<Bucket> buckets;
    for (const BucketDemand& demand : group_demand(context, inputs)) {
        model::Decided<model::ChunkChoice> choice{.value = model::ChunkChoice::kFullest, .why = {}};
        choice.why.reason = "the emptier chunks drain and can be given back";
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
        decided.why.alternatives.push_back(
            {.value = "merge into " + partner->policy.id,
             .reason = fmt::format("the workload is expected to keep {} of this chunk's {} bytes in use; sharing saves "
                                   "the chunk, but rounds every resource here up to {} bytes",
                                   bucket.policy.expected_bytes, decided.value, partner->policy.granule_bytes.value)});
    }
}

}  // namespace heapwright::policy
