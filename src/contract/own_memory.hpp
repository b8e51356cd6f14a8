// What gets a device allocation of its own instead of a place in a chunk, and what the ordinary interface refuses:
//   1  the driver requires one: its own, in the first memory type with room
//   2  humongous (larger than the policy's threshold): its own, too; refused where the policy's rule says so, then
//      asked for by name it gets its own
//   3  all others: the memory types ranked for the use, each finished before the next. In one type
//      a  the driver prefers one and the policy follows, or the bucket that takes it (bucket_choice.hpp) has a
//         dedicated threshold below its size: its own in this type; where there is no room for that, b
//      b  the bucket, as memory_order.hpp says
//      c  the type has no bucket for it: its own in this type
// Sizes in bytes. Pure and thread-safe; no errors.
#pragma once

#include <cstdint>
#include <span>

#include "heapwright/contract/bucket_index.hpp"
#include "heapwright/model/policy.hpp"
#include "heapwright/model/resource.hpp"

namespace heapwright::contract {

enum class Treatment : std::uint8_t { kByType, kOwn, kRefused };

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

[[nodiscard]] Treatment treatment_of(const model::DevicePolicy& policy, const model::MemoryRequirements& requirements);

// What is tried in one memory type: memory of its own if `own_first`, then the buckets, of which the first takes the
// request and those behind it lend their chunks. Without buckets, memory of its own.
struct TypePlan {
    bool own_first = false;
    std::span<const std::uint32_t> buckets;
};

// `ascending`: the type's buckets of the class (BucketIndex), which outlive the plan.
[[nodiscard]] TypePlan plan_in_type(const model::DevicePolicy& policy, std::span<const std::uint32_t> ascending,
                                    const model::MemoryRequirements& requirements);

// The bucket whose priority an allocation of its own follows in that memory type: the smallest S that is not below its
// alignment, else the largest. Null: the type has none of the class.
[[nodiscard]] const model::BucketPolicy* bucket_beside(std::span<const model::BucketPolicy> policies,
                                                       const BucketIndex& index, model::ResourceClass resource_class,
                                                       std::uint32_t memory_type, std::uint64_t alignment_bytes);

}  // namespace heapwright::contract
