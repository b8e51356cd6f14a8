// What gets a device allocation of its own instead of a place in a chunk, and what the ordinary interface refuses:
//   humongous (larger than the policy's threshold): refused, whatever else holds; asked for by name it gets its own
//   the driver requires one: its own
//   the driver prefers one and the policy follows, or the bucket that takes it (bucket_choice.hpp) has a dedicated
//   threshold below its size: its own, in a chunk where there is no room for that
// Sizes in bytes. Pure and thread-safe; no errors.
#pragma once

#include <cstdint>
#include <span>

#include "heapwright/contract/bucket_index.hpp"
#include "heapwright/model/policy.hpp"
#include "heapwright/model/resource.hpp"

namespace heapwright::contract {

enum class Treatment : std::uint8_t { kChunk, kOwnIfRoom, kOwn, kRefused };

// By the driver's word alone.
[[nodiscard]] constexpr bool follows_driver(model::Dedicated dedicated, model::DedicatedRule rule) {
    return dedicated == model::Dedicated::kRequired ||
           (dedicated == model::Dedicated::kPreferred && rule == model::DedicatedRule::kWhenPreferred);
}

[[nodiscard]] inline bool is_humongous(const model::DevicePolicy& policy, std::uint64_t size_bytes) {
    return size_bytes > policy.humongous_threshold_bytes.value;
}

[[nodiscard]] inline bool passes_threshold(const model::BucketPolicy& bucket, std::uint64_t size_bytes) {
    return bucket.dedicated_threshold_bytes && size_bytes > bucket.dedicated_threshold_bytes->value;
}

[[nodiscard]] Treatment treatment_of(const model::DevicePolicy& policy, const BucketIndex& index,
                                     const model::MemoryRequirements& requirements, model::ResourceClass resource_class,
                                     model::MemoryUse use);

// The bucket whose priority an allocation of its own follows in that memory type: the smallest S that is not below its
// alignment, else the largest. Null: the type has none of the class.
[[nodiscard]] const model::BucketPolicy* bucket_beside(std::span<const model::BucketPolicy> policies,
                                                       const BucketIndex& index, model::ResourceClass resource_class,
                                                       std::uint32_t memory_type, std::uint64_t alignment_bytes);

}  // namespace heapwright::contract
