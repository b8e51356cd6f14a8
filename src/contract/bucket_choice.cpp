#include "heapwright/contract/bucket_choice.hpp"

#include <algorithm>

namespace heapwright::contract {

bool holds_class(const model::BucketPolicy& bucket, model::ResourceClass resource_class) {
    return std::ranges::find(bucket.resource_classes, resource_class) != bucket.resource_classes.end();
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

std::optional<std::uint32_t> first_bucket(const BucketIndex& index, std::span<const model::BucketPolicy> policies,
                                          model::ResourceClass resource_class, model::MemoryUse use,
                                          const model::MemoryRequirements& requirements) {
    for (const BucketIndex::TypeBuckets& type : index.candidates(resource_class, use)) {
        if (!admits(requirements.memory_type_bits, type.memory_type)) continue;
        const auto found =
            buckets_in_type(policies, type.buckets, requirements.size_bytes, requirements.alignment_bytes);
        if (!found.empty()) return found.front();
    }
    return std::nullopt;
}

}  // namespace heapwright::contract
