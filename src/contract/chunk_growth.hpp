// What a new chunk of a bucket takes:
//   first_chunk_bytes * 2^n, the largest such size that is no more than
//   max(first_chunk_bytes, bytes that the bucket's chunks hold now / divisor) and no more than chunk_size_bytes;
//   chunk_size_bytes where the policy has no growth
// rounded down to the bucket's unit; more only where the request that needs the chunk is larger, then that request
// rounded up to the unit. So a bucket that has shrunk takes small chunks again.
// Sizes in bytes. Pure and thread-safe; no errors.
#pragma once

#include <algorithm>
#include <cstdint>

#include "heapwright/model/policy.hpp"

namespace heapwright::contract {

// What chunk sizes are rounded to that are chosen ahead: a chunk's end is as aligned as its largest alignment asks for.
template <class Bucket>  // a policy's, or one that is planned
[[nodiscard]] constexpr std::uint64_t planned_unit_bytes(const Bucket& bucket) {
    return std::max({std::uint64_t{1}, bucket.granule_bytes.value, bucket.alignment_bytes});
}

// What a chunk is rounded to when it is taken; less may be left for it then than its largest alignment asks for.
[[nodiscard]] std::uint64_t chunk_unit_bytes(const model::BucketPolicy& bucket);

// Before any request makes it larger, not rounded. `largest_bytes`: the device's limit for one allocation.
[[nodiscard]] std::uint64_t next_chunk_bytes(const model::BucketPolicy& bucket, std::uint64_t held_bytes,
                                             std::uint64_t largest_bytes);

// For a request that needs so much, a multiple of the unit; `shrink` divides the usual size where memory is short.
[[nodiscard]] std::uint64_t new_chunk_bytes(const model::BucketPolicy& bucket, std::uint64_t held_bytes,
                                            std::uint64_t largest_bytes, std::uint64_t shrink,
                                            std::uint64_t needed_bytes);

}  // namespace heapwright::contract
