#include "contract/bucket_choice.hpp"

#include <algorithm>

#include <fmt/format.h>

#include "contract/feasibility.hpp"
#include "core/checked.hpp"

namespace heapwright::contract {

bool holds_class(const model::BucketPolicy& bucket, model::ResourceClass resource_class) {
    return std::ranges::find(bucket.resource_classes, resource_class) != bucket.resource_classes.end();
}

bool holds_class(const model::MemoryType& type, model::ResourceClass resource_class) {
    return type.resource_classes.empty() ||
           std::ranges::find(type.resource_classes, resource_class) != type.resource_classes.end();
}

std::span<const std::uint32_t> buckets_in_type(std::span<const model::BucketPolicy> policies,
                                               std::span<const std::uint32_t> ascending, std::uint64_t size_bytes,
                                               std::uint64_t alignment_bytes) {
    if (const auto found = buckets_from(policies, ascending, size_bytes, alignment_bytes); !found.empty()) return found;
    std::size_t best = ascending.size();
    for (std::size_t i = 0; i < ascending.size(); ++i) {
        const model::BucketPolicy& bucket = policies[ascending[i]];
        if (bucket.suballocator.value == model::SuballocatorKind::kSlots) continue;
        // Of equal ones the first in the policy's order.
        if (best == ascending.size() || bucket.alignment_bytes > policies[ascending[best]].alignment_bytes) best = i;
    }
    return best == ascending.size() ? std::span<const std::uint32_t>() : ascending.subspan(best, 1);
}

TypePlan plan_in_type(const model::DevicePolicy& policy, std::span<const std::uint32_t> ascending,
                      const model::MemoryRequirements& requirements, Treatment treatment) {
    if (treatment == Treatment::kOwn || treatment == Treatment::kRefused) return {.own_first = true, .buckets = {}};
    const auto buckets =
        buckets_in_type(policy.buckets, ascending, requirements.size_bytes, requirements.alignment_bytes);
    return {.own_first = treatment == Treatment::kByType &&
                         (buckets.empty() || follows_driver(requirements.dedicated, policy.dedicated.value) ||
                          passes_threshold(policy.buckets[buckets.front()], requirements.size_bytes)),
            .buckets = buckets};
}

Destination destination_of(const model::DevicePolicy& policy, const BucketIndex& index, const Request& request) {
    const Treatment treatment = treatment_of(policy, request.requirements, request.own_memory);
    Destination to{.refused = treatment == Treatment::kRefused};
    if (const auto first = TypeWalk(policy, index, request, treatment).next()) {
        to.memory_type = first->memory_type;
        if (!first->plan.own_first) to.bucket = first->plan.buckets.front();
    }
    return to;
}

const model::BucketPolicy* bucket_beside(std::span<const model::BucketPolicy> policies, const BucketIndex& index,
                                         model::ResourceClass resource_class, std::uint32_t memory_type,
                                         std::uint64_t alignment_bytes) {
    const auto ascending = index.buckets(resource_class, memory_type);
    if (ascending.empty()) return nullptr;
    const auto found = std::ranges::find_if(
        ascending, [&](std::uint32_t i) { return policies[i].alignment_bytes >= alignment_bytes; });
    if (found != ascending.end()) return &policies[*found];
    // Of the largest S the first in the policy's order.
    const std::uint64_t largest = policies[ascending.back()].alignment_bytes;
    return &policies[*std::ranges::find_if(ascending,
                                           [&](std::uint32_t i) { return policies[i].alignment_bytes == largest; })];
}

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
        const std::uint64_t granularity = granularity_bytes(facts);
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

std::vector<std::uint32_t> lazily_allocated_types(const RankedMemory& memory) {
    namespace property = model::memory_property;
    // Any other flag may need a feature enabled, as the memory of tiles does.
    constexpr model::Flags kPlain = property::kDeviceLocal | property::kHostVisible | property::kHostCoherent |
                                    property::kHostCached | property::kLazilyAllocated;
    std::vector<std::uint32_t> found;
    for (std::uint32_t index = 0; index < memory.types.size(); ++index) {
        const std::uint32_t heap = memory.types[index].heap_index;
        const model::Flags flags = memory.types[index].property_flags;
        if ((flags & property::kLazilyAllocated) == 0 || (flags & ~kPlain) != 0) continue;
        if (heap < memory.heaps.size() && (memory.heaps[heap].flags & model::memory_heap::kTileMemoryQcom) != 0)
            continue;
        const auto policy = std::ranges::find(memory.heap_policies, heap, &model::HeapPolicy::heap);
        if (policy != memory.heap_policies.end() && policy->usable_bytes.value != 0) found.push_back(index);
    }
    return found;
}

std::vector<std::uint32_t> types_in_order(const RankedMemory& memory, model::ResourceClass resource_class,
                                          model::MemoryUse use, bool transient_attachment) {
    std::vector<std::uint32_t> order;
    const auto add = [&](std::span<const std::uint32_t> types) {
        for (const std::uint32_t type : types) {
            // Of a type that holds other classes alone, not even memory of its own can be had.
            if (type < memory.types.size() && !holds_class(memory.types[type], resource_class)) continue;
            if (std::ranges::find(order, type) == order.end()) order.push_back(type);
        }
    };
    const auto add_ranked = [&](model::MemoryUse which) {
        const auto ranked = std::ranges::find(memory.uses, which, &model::MemoryUsePolicy::use);
        if (ranked != memory.uses.end()) add(ranked->memory_types.value);
    };
    if (transient_attachment) add(lazily_allocated_types(memory));
    add_ranked(use);
    if (resource_class != model::ResourceClass::kLinear) add_ranked(model::MemoryUse::kDeviceOnly);
    return order;
}

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
    return over(policy, facts.memory_types, facts.heaps);
}

BucketIndex BucketIndex::of(const model::DevicePolicy& policy) {
    return over(policy, policy.memory_types, {});
}

BucketIndex BucketIndex::over(const model::DevicePolicy& policy, std::span<const model::MemoryType> memory_types,
                              std::span<const model::MemoryHeap> heaps) {
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
    const RankedMemory memory{
        .types = memory_types, .heaps = heaps, .heap_policies = policy.heaps, .uses = policy.memory_uses};
    for (const model::MemoryUsePolicy& ranked : policy.memory_uses) {
        const auto at = static_cast<std::size_t>(ranked.use);
        for (std::size_t kind = 0; kind < kClasses; ++kind) {
            const auto ordered = [&](bool transient) {
                return index.in_order(
                    kind, types_in_order(memory, static_cast<model::ResourceClass>(kind), ranked.use, transient));
            };
            index.table_[kind][at] = ordered(false);
            index.transient_table_[kind][at] = ordered(true);
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
