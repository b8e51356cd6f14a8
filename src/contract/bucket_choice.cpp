#include "heapwright/contract/bucket_choice.hpp"

#include <algorithm>

namespace heapwright::contract {

bool holds_class(const model::BucketPolicy& bucket, model::ResourceClass resource_class) {
    return std::ranges::find(bucket.resource_classes, resource_class) != bucket.resource_classes.end();
}

std::optional<std::uint32_t> first_bucket(const BucketIndex& index, std::span<const model::BucketPolicy> policies,
                                          model::ResourceClass resource_class, model::MemoryUse use,
                                          const model::MemoryRequirements& requirements) {
    for (const BucketIndex::TypeBuckets& type : index.candidates(resource_class, use)) {
        if (!admits(requirements.memory_type_bits, type.memory_type)) continue;
        const auto found = buckets_from(policies, type.buckets, requirements.size_bytes, requirements.alignment_bytes);
        if (!found.empty()) return found.front();
    }
    return std::nullopt;
}

Treatment treatment_of(const model::DevicePolicy& policy, const BucketIndex& index,
                       const model::MemoryRequirements& requirements, model::ResourceClass resource_class,
                       model::MemoryUse use) {
    if (is_humongous(policy, requirements.size_bytes)) return Treatment::kRefused;
    if (requirements.dedicated == model::Dedicated::kRequired) return Treatment::kOwn;
    if (follows_driver(requirements.dedicated, policy.dedicated.value)) return Treatment::kOwnIfRoom;
    const auto bucket = first_bucket(index, policy.buckets, resource_class, use, requirements);
    return bucket && passes_threshold(policy.buckets[*bucket], requirements.size_bytes) ? Treatment::kOwnIfRoom
                                                                                        : Treatment::kChunk;
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
