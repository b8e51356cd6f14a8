#include "policy/buckets.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <limits>
#include <map>
#include <optional>
#include <set>
#include <tuple>
#include <utility>

#include "contract/bucket_choice.hpp"
#include "contract/feasibility.hpp"
#include "contract/scaling.hpp"
#include "contract/swept_requirements.hpp"
#include "core/checked.hpp"
#include "core/units.hpp"
#include "model/claims.hpp"
#include "policy/bucket_settings.hpp"
#include "policy/demand.hpp"

namespace heapwright::policy {

using model::claim;
using model::ClaimId;

namespace {

// Memory type, class (0 where classes share), alignment.
using BucketKey = std::tuple<std::uint32_t, std::uint32_t, std::uint64_t>;

model::Decided<model::SuballocatorKind> decide_suballocator() {
    model::Decided<model::SuballocatorKind> decided;
    decided.value = model::SuballocatorKind::kTlsf;
    decided.why.reason = claim<ClaimId::kTlsf>();
    decided.why.alternatives.push_back({.value = "fixed_blocks", .reason = claim<ClaimId::kFixedBlocksLost>()});
    decided.why.alternatives.push_back({.value = "linear", .reason = claim<ClaimId::kLinearLost>()});
    return decided;
}

std::string bucket_id(const std::vector<model::ResourceClass>& classes, std::uint64_t alignment,
                      std::uint32_t memory_type) {
    return fmt::format("{}/{}/{}", classes.size() > 1 ? "any" : to_string(classes.front()), alignment, memory_type);
}

struct KeyContents {
    std::uint64_t largest_alignment = 1;
    std::uint64_t smallest_alignment = std::numeric_limits<std::uint64_t>::max();
};

BucketKey key_of(const PlacedDemand& entry, const BucketInputs& inputs) {
    const bool by_class = inputs.separate_linear_and_optimal && inputs.grouping != Grouping::kSingle;
    const Demand& demand = *entry.demand;
    return {entry.memory_type, by_class ? static_cast<std::uint32_t>(demand.resource_class) : 0,
            inputs.grouping == Grouping::kByAlignment ? demand.requirements.alignment_bytes : 0};
}

BucketDemand make_bucket(const Context& context, const BucketKey& key, const KeyContents& contents,
                         const BucketInputs& inputs) {
    const std::uint32_t memory_type = std::get<0>(key);
    const bool by_class = inputs.separate_linear_and_optimal && inputs.grouping != Grouping::kSingle;
    BucketDemand bucket;
    bucket.memory_type = memory_type;
    bucket.alignment_bytes = contents.largest_alignment;
    if (by_class) {
        bucket.resource_classes = {static_cast<model::ResourceClass>(std::get<1>(key))};
    } else {
        const auto& allowed = context.device.memory_types[memory_type].resource_classes;
        bucket.resource_classes = allowed;
        if (allowed.empty()) {
            bucket.resource_classes = {model::ResourceClass::kLinear, model::ResourceClass::kOptimal};
            if (separates_render_targets(context.device)) {
                bucket.resource_classes.push_back(model::ResourceClass::kOptimalRenderTarget);
            }
        }
    }
    bucket.mixes_classes = inputs.separate_linear_and_optimal && bucket.resource_classes.size() > 1;
    bucket.id = bucket_id(bucket.resource_classes, contents.largest_alignment, memory_type);
    bucket.granule_bytes = decide_granule(context, {.alignment_bytes = contents.largest_alignment,
                                                    .smallest_alignment_bytes = contents.smallest_alignment,
                                                    .memory_type = memory_type,
                                                    .mixes_classes = bucket.mixes_classes});
    bucket.heap = context.device.memory_types[memory_type].heap_index;
    return bucket;
}

contract::ChunkWish wish_of(const Bucket& bucket) {
    return {.wanted_bytes = bucket.policy.chunk_size_bytes.value,
            .smallest_bytes = bucket.smallest_chunk_bytes,
            .unit_bytes = contract::planned_unit_bytes(bucket.policy),
            .resource_bytes = bucket.largest_bytes};
}

}  // namespace

bool is_ordinary(const Demand& demand, const BucketInputs& inputs) {
    return !contract::follows_driver(demand.requirements.dedicated, inputs.dedicated) &&
           !contract::is_humongous(demand.requirements.size_bytes, inputs.humongous_threshold_bytes);
}

bool belongs_to(const BucketDemand& bucket, model::ResourceClass resource_class, std::uint64_t alignment_bytes,
                std::uint32_t memory_type, Grouping grouping) {
    const auto& classes = bucket.resource_classes;
    return bucket.memory_type == memory_type &&
           std::find(classes.begin(), classes.end(), resource_class) != classes.end() &&
           (grouping != Grouping::kByAlignment || bucket.alignment_bytes == alignment_bytes);
}

std::vector<BucketDemand> group_demand(const Context& context, const BucketInputs& inputs) {
    std::map<BucketKey, KeyContents> contents;
    for (const PlacedDemand& entry : inputs.placed) {
        if (!is_ordinary(*entry.demand, inputs)) continue;
        KeyContents& one = contents[key_of(entry, inputs)];
        const std::uint64_t alignment = entry.demand->requirements.alignment_bytes;
        one.largest_alignment = std::max(one.largest_alignment, alignment);
        one.smallest_alignment = std::min(one.smallest_alignment, alignment);
    }
    std::map<BucketKey, BucketDemand> buckets;
    for (const auto& [key, one] : contents) buckets.emplace(key, make_bucket(context, key, one, inputs));

    for (const PlacedDemand& entry : inputs.placed) {
        const Demand& demand = *entry.demand;
        if (!is_ordinary(demand, inputs)) continue;
        BucketDemand& bucket = buckets.at(key_of(entry, inputs));
        bucket.expected_bytes += demand.held_bytes();
        bucket.in_flight_bytes += demand.in_flight * demand.mean_bytes;
        const std::uint64_t granule = bucket.granule_bytes.value;
        const std::uint64_t rounded = checked_align_up(demand.requirements.size_bytes, granule)
                                          .value_or(align_down(std::numeric_limits<std::uint64_t>::max(), granule));
        if (bucket.largest == nullptr || rounded > bucket.largest_bytes) {
            bucket.largest = &demand;
            bucket.largest_bytes = rounded;
        }
    }
    std::vector<BucketDemand> sorted;
    for (auto& [key, bucket] : buckets) sorted.push_back(std::move(bucket));
    return sorted;
}

void warn_of_humongous(const BucketInputs& inputs, model::Statement& warnings) {
    double bytes = 0;
    double count = 0;
    for (const PlacedDemand& entry : inputs.placed) {
        const Demand& demand = *entry.demand;
        if (is_ordinary(demand, inputs) || demand.own_memory == model::OwnMemory::kNever) continue;
        if (contract::follows_driver(demand.requirements.dedicated, inputs.dedicated)) continue;
        bytes += demand.held_bytes();
        count += demand.count;
    }
    if (count <= 0) return;
    warnings += claim<ClaimId::kWarnHumongous>(model::count(saturating_bytes(std::round(count))),
                                               model::bytes(saturating_bytes(bytes)),
                                               model::bytes(inputs.humongous_threshold_bytes));
}

Bucket with_chunks(const BucketDemand& demand, model::Decided<std::uint64_t> chunk_size_bytes,
                   model::Decided<model::ChunkChoice> chunk_choice) {
    return {.policy = {.id = demand.id,
                       .resource_classes = demand.resource_classes,
                       .alignment_bytes = demand.alignment_bytes,
                       .memory_type = demand.memory_type,
                       .chunk_size_bytes = std::move(chunk_size_bytes),
                       .growth = std::nullopt,
                       .dedicated_threshold_bytes = std::nullopt,
                       .chunk_choice = std::move(chunk_choice),
                       .suballocator = decide_suballocator(),
                       .granule_bytes = demand.granule_bytes,
                       .chunks_ahead = std::nullopt,
                       .priority = std::nullopt,
                       .expected_bytes = saturating_bytes(demand.expected_bytes)},
            .heap = demand.heap,
            .largest = demand.largest,
            .largest_bytes = demand.largest_bytes,
            .smallest_chunk_bytes = std::max(demand.largest_bytes, demand.alignment_bytes)};
}

void shrink_chunks(Bucket& bucket, std::uint64_t chunk_bytes, const model::Statement& because) {
    auto& chunk = bucket.policy.chunk_size_bytes;
    const std::uint64_t before = std::exchange(chunk.value, chunk_bytes);
    model::Statement reason = claim<ClaimId::kChunkShrunk>(model::bytes(before));
    reason += because;
    reason += std::exchange(chunk.why.reason, {});
    chunk.why.reason = std::move(reason);
    chunk.why.alternatives.push_back({.value = model::bytes(before), .reason = claim<ClaimId::kChunkStarves>()});
    bucket.most_new_chunks *= div_ceil(before, std::max<std::uint64_t>(1, chunk_bytes));

    auto& threshold = bucket.policy.dedicated_threshold_bytes;
    const std::uint64_t passed = threshold ? threshold->value : 0;
    contract::fit_to_chunk(bucket.policy);
    if (passed > chunk_bytes) {
        threshold->why.alternatives.push_back(
            {.value = model::bytes(passed), .reason = claim<ClaimId::kThresholdAboveChunk>()});
        threshold->why.reason += claim<ClaimId::kThresholdHeldDown>(model::bytes(chunk_bytes));
    }
}

FeasibleBuckets make_feasible(std::vector<Bucket> buckets, std::span<const model::HeapPolicy> heaps,
                              model::Statement& warnings) {
    FeasibleBuckets feasible{.buckets = std::move(buckets), .proofs = {}};
    for (const model::HeapPolicy& heap : heaps) {
        std::vector<Bucket*> members;
        std::vector<contract::ChunkWish> wishes;
        for (Bucket& bucket : feasible.buckets) {
            if (bucket.heap != heap.heap) continue;
            members.push_back(&bucket);
            wishes.push_back(wish_of(bucket));
        }
        if (members.empty()) continue;
        const std::uint64_t usable = heap.usable_bytes.value;
        const contract::OneChunkEach each = contract::fit_one_chunk_each(heap, wishes);
        const model::Claim because =
            claim<ClaimId::kOneChunkEach>(model::count(members.size()), model::count(heap.heap),
                                          model::bytes(each.wanted_total_bytes), model::bytes(usable));
        for (std::size_t i = 0; i < members.size(); ++i) {
            if (each.chunk_bytes[i] != wishes[i].wanted_bytes) shrink_chunks(*members[i], each.chunk_bytes[i], because);
        }
        feasible.proofs.push_back(each.proof);
        if (!each.proof.fits) {
            warnings +=
                claim<ClaimId::kWarnOneChunkEach>(model::count(heap.heap), model::count(members.size()),
                                                  model::bytes(each.proof.one_chunk_each_bytes), model::bytes(usable));
        }
    }
    return feasible;
}

namespace {

constexpr std::uint64_t kLargestChunk = 64 * kMiB;
constexpr std::uint64_t kHeapParts = 32;
constexpr std::uint64_t kFirstParts = 16;
constexpr std::uint64_t kGrowthDivisor = 4;

using Classes = std::vector<model::ResourceClass>;

struct Alignments {
    std::uint64_t smallest = std::numeric_limits<std::uint64_t>::max();
    std::uint64_t largest = 1;

    void add(std::uint64_t alignment) {
        smallest = std::min(smallest, alignment);
        largest = std::max(largest, alignment);
    }
};

class DefaultBuckets {
public:
    DefaultBuckets(const Context& context, const model::DevicePolicy& policy) : context_(context), policy_(policy) {}

    std::vector<model::BucketPolicy> make() {
        std::vector<model::BucketPolicy> buckets;
        const std::vector<std::uint32_t> lazy = contract::lazily_allocated_types({.types = context_.device.memory_types,
                                                                                  .heaps = context_.device.heaps,
                                                                                  .heap_policies = policy_.heaps,
                                                                                  .uses = {}});
        std::set<std::uint32_t> types(lazy.begin(), lazy.end());
        for (const model::MemoryUsePolicy& use : policy_.memory_uses)
            types.insert(use.memory_types.value.begin(), use.memory_types.value.end());
        for (const std::uint32_t type : types) {
            const bool is_lazy = std::ranges::find(lazy, type) != lazy.end();
            for (const Classes& classes : groups_of(missing_classes(type, is_lazy))) {
                if (auto bucket = make_bucket(type, classes)) buckets.push_back(std::move(*bucket));
            }
        }
        return buckets;
    }

private:
    [[nodiscard]] Classes missing_classes(std::uint32_t type, bool is_lazy) const {
        Classes all = context_.device.memory_types[type].resource_classes;
        if (all.empty()) {
            all = {model::ResourceClass::kLinear, model::ResourceClass::kOptimal};
            if (separates_render_targets(context_.device)) all.push_back(model::ResourceClass::kOptimalRenderTarget);
        }
        std::erase_if(all, [&](model::ResourceClass one) {
            if (is_lazy && one == model::ResourceClass::kLinear) return true;  // attachments alone may lie there
            return std::ranges::any_of(policy_.buckets, [&](const model::BucketPolicy& bucket) {
                return bucket.memory_type == type &&
                       std::ranges::find(bucket.resource_classes, one) != bucket.resource_classes.end();
            });
        });
        return all;
    }

    // One for all classes where they may share chunks.
    [[nodiscard]] std::vector<Classes> groups_of(const Classes& missing) const {
        if (missing.empty()) return {};
        if (!policy_.separate_linear_and_optimal.value) return {missing};
        std::vector<Classes> groups;
        for (const model::ResourceClass one : missing) groups.push_back({one});
        return groups;
    }

    [[nodiscard]] Alignments alignments_of(const Classes& classes) const {
        Alignments all;
        for (const model::ResourceClass one : classes) {
            const bool linear = one == model::ResourceClass::kLinear;
            all.add(linear ? contract::assumed_buffer_alignment(context_.device) : contract::kAssumedImageAlignment);
            const auto& sweep =
                linear ? context_.device.buffer_sweep.requirements : context_.device.image_sweep.requirements;
            for (const auto& requirement : sweep) all.add(requirement.alignment_bytes);
        }
        return {.smallest = std::bit_ceil(std::max<std::uint64_t>(1, all.smallest)),
                .largest = std::bit_ceil(std::min<std::uint64_t>(all.largest, 1ull << 62))};
    }

    [[nodiscard]] std::optional<model::BucketPolicy> make_bucket(std::uint32_t type, const Classes& classes) const {
        const Alignments alignments = alignments_of(classes);
        const auto is_linear = [](model::ResourceClass one) { return one == model::ResourceClass::kLinear; };
        const bool mixes = std::ranges::any_of(classes, is_linear) && !std::ranges::all_of(classes, is_linear);
        const model::HeapPolicy& heap = policy_.heaps[context_.device.memory_types[type].heap_index];
        const auto limit = find_limit(context_, "maxMemoryAllocationSize");
        std::uint64_t most = std::min(kLargestChunk, heap.usable_bytes.value / kHeapParts);
        if (limit) most = std::min(most, limit->value);
        const std::uint64_t chunk = most == 0 ? 0 : std::bit_floor(most);

        BucketDemand bucket;
        bucket.resource_classes = classes;
        bucket.alignment_bytes = alignments.largest;
        bucket.memory_type = type;
        bucket.heap = heap.heap;
        bucket.granule_bytes = decide_granule(context_, {.alignment_bytes = alignments.largest,
                                                         .smallest_alignment_bytes = alignments.smallest,
                                                         .memory_type = type,
                                                         .mixes_classes = mixes});
        bucket.id =
            fmt::format("{}/{}/{}", classes.size() > 1 ? "any" : to_string(classes.front()), alignments.largest, type);
        if (chunk < bucket.unit_bytes()) return std::nullopt;

        model::Decided<model::ChunkChoice> choice{.value = model::ChunkChoice::kFullest, .why = {}};
        choice.why.reason = claim<ClaimId::kChoiceFullest>();
        model::BucketPolicy made = with_chunks(bucket, decide_chunk(chunk, heap), std::move(choice)).policy;
        made.growth = decide_growth(chunk, std::max({kMiB, chunk / kFirstParts, bucket.unit_bytes()}));
        contract::fit_to_chunk(made);
        return made;
    }

    [[nodiscard]] static model::Decided<std::uint64_t> decide_chunk(std::uint64_t chunk,
                                                                    const model::HeapPolicy& heap) {
        model::Decided<std::uint64_t> decided{.value = chunk, .why = {}};
        decided.why.reason = claim<ClaimId::kDefaultChunk>();
        decided.why.reason +=
            claim<ClaimId::kDefaultChunkSize>(model::bytes(kLargestChunk), model::count(kHeapParts),
                                              model::count(heap.heap), model::bytes(heap.usable_bytes.value));
        decided.why.inputs = heap.usable_bytes.why.inputs;
        decided.why.alternatives.push_back({.value = "none", .reason = claim<ClaimId::kDefaultChunkNoneLost>()});
        return decided;
    }

    [[nodiscard]] static model::ChunkGrowth decide_growth(std::uint64_t chunk, std::uint64_t first) {
        model::ChunkGrowth growth;
        growth.first_chunk_bytes.value = first;
        growth.first_chunk_bytes.why.reason = claim<ClaimId::kDefaultFirstChunk>();
        growth.first_chunk_bytes.why.reason +=
            claim<ClaimId::kDefaultFirstChunkSize>(model::count(kFirstParts), model::bytes(chunk), model::bytes(kMiB));
        growth.divisor.value = kGrowthDivisor;
        growth.divisor.why.reason = claim<ClaimId::kGrowthDivisor>();
        growth.divisor.why.reason += claim<ClaimId::kGrowthKeepsPart>();
        return growth;
    }

    const Context& context_;
    const model::DevicePolicy& policy_;
};

}  // namespace

std::vector<model::BucketPolicy> default_buckets(const Context& context, const model::DevicePolicy& policy) {
    return DefaultBuckets(context, policy).make();
}

}  // namespace heapwright::policy
