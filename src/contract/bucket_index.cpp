#include "heapwright/contract/bucket_index.hpp"

#include <algorithm>

#include <fmt/format.h>

#include "heapwright/contract/bucket_choice.hpp"
#include "heapwright/core/checked.hpp"

namespace heapwright::contract {
namespace {

tl::unexpected<Error> unfit(std::string message, std::string where, std::uint64_t value) {
    return fail(Error{
        .code = ErrorCode::kInvalidArgument, .message = std::move(message), .where = std::move(where), .value = value});
}

bool mixes_linear_and_optimal(const model::BucketPolicy& bucket) {
    return holds_class(bucket, model::ResourceClass::kLinear) &&
           (holds_class(bucket, model::ResourceClass::kOptimal) ||
            holds_class(bucket, model::ResourceClass::kOptimalRenderTarget));
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

// Whether a transient attachment may lie there: any other flag may need a feature enabled.
bool is_lazily_allocated(const model::MemoryType& type) {
    namespace property = model::memory_property;
    constexpr model::Flags kPlain = property::kDeviceLocal | property::kHostVisible | property::kHostCoherent |
                                    property::kHostCached | property::kLazilyAllocated;
    return (type.property_flags & property::kLazilyAllocated) != 0 && (type.property_flags & ~kPlain) == 0;
}

// Behind the types of a use those of device-only memory, for optimal images: the host does not know the order of their
// texels, so that it reaches them by copies whatever memory they have.
std::vector<std::uint32_t> with_staged(const model::DevicePolicy& policy, std::vector<std::uint32_t> types) {
    const auto device_only =
        std::ranges::find(policy.memory_uses, model::MemoryUse::kDeviceOnly, &model::MemoryUsePolicy::use);
    if (device_only == policy.memory_uses.end()) return types;
    for (const std::uint32_t type : device_only->memory_types.value) {
        if (std::ranges::find(types, type) == types.end()) types.push_back(type);
    }
    return types;
}

}  // namespace

Result<BucketIndex> BucketIndex::create(const model::DeviceReport& facts, const model::DevicePolicy& policy) {
    for (const model::HeapPolicy& heap : policy.heaps) {
        if (heap.heap >= facts.heaps.size()) return unfit("the device has no such heap", "heaps", heap.heap);
    }
    for (const model::BucketPolicy& bucket : policy.buckets) HEAPWRIGHT_TRY(check_bucket(facts, policy, bucket));
    for (const model::MemoryUsePolicy& use : policy.memory_uses) {
        for (const std::uint32_t type : use.memory_types.value) {
            if (type >= facts.memory_types.size())
                return unfit("the device has no such memory type", "memory_uses", type);
        }
    }
    return over(policy, facts.memory_types);
}

BucketIndex BucketIndex::of(const model::DevicePolicy& policy) {
    return over(policy, policy.memory_types);
}

BucketIndex BucketIndex::over(const model::DevicePolicy& policy, std::span<const model::MemoryType> memory_types) {
    BucketIndex index;
    for (std::size_t kind = 0; kind < kClasses; ++kind) {
        const auto resource_class = static_cast<model::ResourceClass>(kind);
        std::vector<TypeBuckets>& types = index.types_[kind];
        for (std::uint32_t i = 0; i < policy.buckets.size(); ++i) {
            if (!holds_class(policy.buckets[i], resource_class)) continue;
            const std::uint32_t type = policy.buckets[i].memory_type;
            auto entry = std::ranges::find(types, type, &TypeBuckets::memory_type);
            if (entry == types.end()) entry = types.insert(entry, {.memory_type = type, .buckets = {}});
            entry->buckets.push_back(i);
        }
        for (TypeBuckets& type : types) {
            std::ranges::stable_sort(type.buckets, {},
                                     [&](std::uint32_t i) { return policy.buckets[i].alignment_bytes; });
        }
        if (resource_class == model::ResourceClass::kOptimalRenderTarget)
            index.separates_render_targets_ = !types.empty();
    }
    for (const model::MemoryUsePolicy& use : policy.memory_uses) {
        const auto at = static_cast<std::size_t>(use.use);
        const std::vector<std::uint32_t>& ranked = use.memory_types.value;
        std::vector<std::uint32_t> lazy_first;
        for (std::uint32_t type = 0; type < memory_types.size(); ++type) {
            if (is_lazily_allocated(memory_types[type]) && std::ranges::find(ranked, type) == ranked.end())
                lazy_first.push_back(type);
        }
        lazy_first.insert(lazy_first.end(), ranked.begin(), ranked.end());
        for (std::size_t kind = 0; kind < kClasses; ++kind) {
            const bool optimal = static_cast<model::ResourceClass>(kind) != model::ResourceClass::kLinear;
            // Of a type that holds other classes alone, not even memory of its own can be had.
            const auto of_class = [&](std::vector<std::uint32_t> types) {
                std::erase_if(types, [&](std::uint32_t type) {
                    return type < memory_types.size() &&
                           !holds_class(memory_types[type], static_cast<model::ResourceClass>(kind));
                });
                return types;
            };
            index.table_[kind][at] = index.in_order(kind, of_class(optimal ? with_staged(policy, ranked) : ranked));
            index.transient_table_[kind][at] =
                index.in_order(kind, of_class(optimal ? with_staged(policy, lazy_first) : lazy_first));
        }
    }
    return index;
}

std::vector<BucketIndex::TypeBuckets> BucketIndex::in_order(std::size_t kind,
                                                            std::span<const std::uint32_t> memory_types) const {
    std::vector<TypeBuckets> ordered;
    for (const std::uint32_t type : memory_types) {
        const auto entry = std::ranges::find(types_[kind], type, &TypeBuckets::memory_type);
        ordered.push_back(entry != types_[kind].end() ? *entry : TypeBuckets{.memory_type = type, .buckets = {}});
    }
    return ordered;
}

std::span<const std::uint32_t> BucketIndex::buckets(model::ResourceClass resource_class,
                                                    std::uint32_t memory_type) const {
    const std::vector<TypeBuckets>& types = types_[static_cast<std::size_t>(resource_class)];
    const auto entry = std::ranges::find(types, memory_type, &TypeBuckets::memory_type);
    return entry == types.end() ? std::span<const std::uint32_t>() : std::span(entry->buckets);
}

}  // namespace heapwright::contract
