#include "contract/bucket_choice.hpp"

#include <algorithm>

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

}  // namespace heapwright::contract
