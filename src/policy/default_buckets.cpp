#include "heapwright/policy/default_buckets.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <bit>
#include <limits>
#include <optional>
#include <set>

#include "heapwright/contract/assumed_requirements.hpp"
#include "heapwright/contract/bucket_index.hpp"
#include "heapwright/contract/scaling.hpp"
#include "heapwright/model/claims.hpp"
#include "heapwright/policy/buckets.hpp"
#include "heapwright/policy/demand.hpp"
#include "heapwright/policy/granularity.hpp"

namespace heapwright::policy {

using model::claim;
using model::ClaimId;

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
