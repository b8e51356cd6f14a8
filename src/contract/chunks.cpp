#include "contract/chunks.hpp"

#include <algorithm>

#include "core/checked.hpp"

namespace heapwright::contract {

std::uint64_t chunk_unit_bytes(const model::BucketPolicy& bucket) {
    const std::uint64_t granule = bucket.granule_bytes.value;
    return bucket.suballocator.value == model::SuballocatorKind::kFixedBlocks ? planned_unit_bytes(bucket) : granule;
}

std::uint64_t next_chunk_bytes(const model::BucketPolicy& bucket, std::uint64_t held_bytes,
                               std::uint64_t largest_bytes) {
    const std::uint64_t largest = std::min(bucket.chunk_size_bytes.value, largest_bytes);
    if (!bucket.growth) return largest;
    const std::uint64_t first = bucket.growth->first_chunk_bytes.value;
    const std::uint64_t most = std::min(largest, std::max(first, held_bytes / bucket.growth->divisor.value));
    std::uint64_t grown = std::min(first, largest);
    while (grown <= most / 2) grown *= 2;
    return grown;
}

std::uint64_t new_chunk_bytes(const model::BucketPolicy& bucket, std::uint64_t held_bytes, std::uint64_t largest_bytes,
                              std::uint64_t shrink, std::uint64_t needed_bytes) {
    const std::uint64_t usual = next_chunk_bytes(bucket, held_bytes, largest_bytes) / shrink;
    return std::max(align_down(usual, chunk_unit_bytes(bucket)), needed_bytes);
}

}  // namespace heapwright::contract
