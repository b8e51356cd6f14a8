// Which bucket of a policy takes a request: of the memory types ranked for its use, in that order, the first that the
// request admits and that has a bucket for it; of that type's buckets the one with the smallest alignment S that is not
// below the request's own and whose chunks can hold it. Buckets of larger S come behind it. Where the request's
// alignment is above every S, the bucket of the largest S whose suballocator chooses offsets by alignment: all kinds
// but slots.
// Sizes in bytes. Pure and thread-safe; no errors.
// Source: "Vulkan Memory Allocation (Part 1 of N)": sub-allocate from an allocation made for alignment S and memory
// type T.
#pragma once

#include <cstdint>
#include <optional>
#include <span>

#include "heapwright/contract/bucket_index.hpp"
#include "heapwright/model/policy.hpp"
#include "heapwright/model/resource.hpp"

namespace heapwright::contract {

[[nodiscard]] bool holds_class(const model::BucketPolicy& bucket, model::ResourceClass resource_class);

[[nodiscard]] constexpr bool admits(std::uint32_t memory_type_bits, std::uint32_t memory_type) {
    return memory_type < 32 && (memory_type_bits >> memory_type & 1u) != 0;
}

// Whether an empty chunk that is large enough can hold the request; false only for slots that are too small.
[[nodiscard]] inline bool chunk_can_hold(const model::BucketPolicy& bucket, std::uint64_t size_bytes,
                                         std::uint64_t alignment_bytes) {
    if (bucket.suballocator.value != model::SuballocatorKind::kSlots) return true;
    const std::uint64_t slot = bucket.granule_bytes.value;
    return size_bytes <= slot && slot % alignment_bytes == 0;
}

[[nodiscard]] inline bool takes(const model::BucketPolicy& bucket, std::uint64_t size_bytes,
                                std::uint64_t alignment_bytes) {
    return bucket.alignment_bytes >= alignment_bytes && chunk_can_hold(bucket, size_bytes, alignment_bytes);
}

// Of one memory type's buckets, ascending in S (BucketIndex::TypeBuckets): the one that takes the request, and those
// behind it. Empty: none takes it.
[[nodiscard]] inline std::span<const std::uint32_t> buckets_from(std::span<const model::BucketPolicy> policies,
                                                                 std::span<const std::uint32_t> ascending,
                                                                 std::uint64_t size_bytes,
                                                                 std::uint64_t alignment_bytes) {
    while (!ascending.empty() && !takes(policies[ascending.front()], size_bytes, alignment_bytes))
        ascending = ascending.subspan(1);
    return ascending;
}

// The same, and the one of the largest S for a request of a larger alignment, or of a size that no slot has. Empty: the
// type has no bucket for the request.
[[nodiscard]] std::span<const std::uint32_t> buckets_in_type(std::span<const model::BucketPolicy> policies,
                                                             std::span<const std::uint32_t> ascending,
                                                             std::uint64_t size_bytes, std::uint64_t alignment_bytes);

// The position of the bucket that takes the request as long as there is memory. Empty: none does.
[[nodiscard]] std::optional<std::uint32_t> first_bucket(const BucketIndex& index,
                                                        std::span<const model::BucketPolicy> policies,
                                                        model::ResourceClass resource_class, model::MemoryUse use,
                                                        const model::MemoryRequirements& requirements);

}  // namespace heapwright::contract
