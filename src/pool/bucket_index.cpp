#include "heapwright/pool/bucket_index.hpp"

#include <algorithm>

#include <fmt/format.h>

#include "heapwright/core/checked.hpp"

namespace heapwright::pool {
namespace {

tl::unexpected<Error> unfit(std::string message, std::string where, std::uint64_t value) {
    return fail(Error{
        .code = ErrorCode::kInvalidArgument, .message = std::move(message), .where = std::move(where), .value = value});
}

bool holds(const std::vector<model::ResourceClass>& classes, model::ResourceClass resource_class) {
    return std::ranges::find(classes, resource_class) != classes.end();
}

bool mixes_linear_and_optimal(const model::BucketPolicy& bucket) {
    return holds(bucket.resource_classes, model::ResourceClass::kLinear) &&
           (holds(bucket.resource_classes, model::ResourceClass::kOptimal) ||
            holds(bucket.resource_classes, model::ResourceClass::kOptimalRenderTarget));
}

Status check_bucket(const model::DeviceReport& facts, const model::DevicePolicy& policy,
                    const model::BucketPolicy& bucket) {
    const std::string where = "bucket " + bucket.id;
    if (bucket.memory_type >= facts.memory_types.size())
        return unfit("the device has no such memory type", where, bucket.memory_type);
    if (!is_power_of_two(bucket.alignment_bytes))
        return unfit("alignment_bytes is no power of two", where, bucket.alignment_bytes);
    if (!is_power_of_two(bucket.granule_bytes.value))
        return unfit("granule_bytes is no power of two", where, bucket.granule_bytes.value);
    if (bucket.chunk_size_bytes.value == 0) return unfit("chunk_size_bytes is zero", where, 0);
    if (bucket.growth && bucket.growth->first_chunk_bytes.value == 0)
        return unfit("growth/first_chunk_bytes is zero", where, 0);
    if (bucket.growth && bucket.growth->divisor.value == 0) return unfit("growth/divisor is zero", where, 0);
    if (bucket.resource_classes.empty()) return unfit("no resource class", where, 0);
    if (mixes_linear_and_optimal(bucket)) {
        const std::uint64_t granularity = facts.limit("bufferImageGranularity").value_or(1);
        if (policy.separate_linear_and_optimal.value)
            return unfit("linear and optimal resources share it although the policy separates them", where,
                         granularity);
        if (bucket.granule_bytes.value % granularity != 0) {
            return unfit(
                fmt::format("linear and optimal resources share it, but its granule of {} bytes is no multiple "
                            "of bufferImageGranularity",
                            bucket.granule_bytes.value),
                where, granularity);
        }
    }
    return {};
}

}  // namespace

Result<BucketIndex> BucketIndex::create(const model::DeviceReport& facts, const model::DevicePolicy& policy) {
    for (const model::HeapPolicy& heap : policy.heaps) {
        if (heap.heap >= facts.heaps.size()) return unfit("the device has no such heap", "heaps", heap.heap);
    }
    for (const model::BucketPolicy& bucket : policy.buckets) HEAPWRIGHT_TRY(check_bucket(facts, policy, bucket));

    BucketIndex index;
    for (const model::MemoryUsePolicy& use : policy.memory_uses) {
        for (const std::uint32_t type : use.memory_types.value) {
            if (type >= facts.memory_types.size())
                return unfit("the device has no such memory type", "memory_uses", type);
            index.memory_types_[static_cast<std::size_t>(use.use)].push_back(type);
        }
    }
    for (const model::BucketPolicy& bucket : policy.buckets)
        index.separates_render_targets_ |= holds(bucket.resource_classes, model::ResourceClass::kOptimalRenderTarget);

    for (std::size_t kind = 0; kind < kClasses; ++kind) {
        for (std::size_t use = 0; use < kUses; ++use) {
            for (const std::uint32_t type : index.memory_types_[use]) {
                TypeBuckets entry{.memory_type = type};
                for (std::uint32_t i = 0; i < policy.buckets.size(); ++i) {
                    if (policy.buckets[i].memory_type == type &&
                        holds(policy.buckets[i].resource_classes, static_cast<model::ResourceClass>(kind)))
                        entry.buckets.push_back(i);
                }
                std::ranges::stable_sort(entry.buckets, {},
                                         [&](std::uint32_t i) { return policy.buckets[i].alignment_bytes; });
                if (!entry.buckets.empty()) index.table_[kind][use].push_back(std::move(entry));
            }
        }
    }
    return index;
}

}  // namespace heapwright::pool
