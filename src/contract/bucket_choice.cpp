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

}  // namespace heapwright::contract
