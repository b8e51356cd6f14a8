// A policy of round numbers to ask the contract about.
//   type 0: optimal images in S = 1024 and 65536; type 1: buffers in S = 256, both classes in S = 4096
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "heapwright/model/policy.hpp"

namespace heapwright::test {

inline constexpr std::uint64_t kKib = 1ull << 10;
inline constexpr std::uint64_t kMib = 1ull << 20;

template <class T>
model::Decided<T> chosen(T value) {
    return model::because(std::move(value), {});
}

inline model::BucketPolicy bucket_of(std::vector<model::ResourceClass> classes, std::uint64_t alignment,
                                     std::uint32_t memory_type, std::uint64_t chunk_bytes = 8 * kMib) {
    model::BucketPolicy bucket;
    bucket.id = std::to_string(alignment) + "/" + std::to_string(memory_type);
    bucket.resource_classes = std::move(classes);
    bucket.alignment_bytes = alignment;
    bucket.memory_type = memory_type;
    bucket.chunk_size_bytes = chosen(chunk_bytes);
    bucket.granule_bytes = chosen<std::uint64_t>(256);
    bucket.expected_bytes = kMib;
    return bucket;
}

enum ContractBucket : std::uint32_t { kLargeImages, kSmallImages, kBuffers, kShared };

inline model::DevicePolicy contract_policy() {
    using model::MemoryUse;
    using model::ResourceClass;
    model::DevicePolicy policy;
    policy.heaps = {
        {.heap = 0, .size_bytes = 1024 * kMib, .base_bytes = 1024 * kMib, .usable_bytes = chosen(800 * kMib)},
        {.heap = 1, .size_bytes = 256 * kMib, .base_bytes = 256 * kMib, .usable_bytes = chosen(200 * kMib)}};
    const auto use = [](MemoryUse which, std::vector<std::uint32_t> types) {
        return model::MemoryUsePolicy{.use = which, .memory_types = chosen(std::move(types)), .excluded = {}};
    };
    policy.memory_uses = {use(MemoryUse::kDeviceOnly, {0, 1}), use(MemoryUse::kUpload, {1})};
    policy.largest_ordinary_bytes = chosen(4 * kMib);
    policy.humongous_threshold_bytes = chosen(16 * kMib);
    policy.dedicated = chosen(model::DedicatedRule::kWhenRequired);
    policy.max_chunks = chosen<std::uint64_t>(100);
    policy.buckets = {bucket_of({ResourceClass::kOptimal}, 65536, 0), bucket_of({ResourceClass::kOptimal}, 1024, 0),
                      bucket_of({ResourceClass::kLinear}, 256, 1),
                      bucket_of({ResourceClass::kLinear, ResourceClass::kOptimal}, 4096, 1)};
    return policy;
}

inline model::MemoryRequirements needs(std::uint64_t size, std::uint64_t alignment, std::uint32_t types = 0b11,
                                       model::Dedicated dedicated = model::Dedicated::kNone) {
    return {.size_bytes = size, .alignment_bytes = alignment, .memory_type_bits = types, .dedicated = dedicated};
}

}  // namespace heapwright::test
