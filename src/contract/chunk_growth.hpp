// What a new chunk of a bucket takes:
//   first_chunk_bytes * 2^n, the largest such size that is no more than
//   max(first_chunk_bytes, bytes that the bucket's chunks hold now / divisor) and no more than chunk_size_bytes;
//   chunk_size_bytes where the policy has no growth
// rounded down to the bucket's unit; more only where the request that needs the chunk is larger, then that request
// rounded up to the unit. So a bucket that has shrunk takes small chunks again.
// Sizes in bytes. Pure and thread-safe; no errors.
#pragma once

#include <cstdint>

#include "heapwright/model/policy.hpp"

namespace heapwright::contract {

// Chunk sizes, and so what is left at their ends, are multiples of this.
[[nodiscard]] std::uint64_t chunk_unit_bytes(const model::BucketPolicy& bucket);

// Before any request makes it larger, not rounded. `largest_bytes`: the device's limit for one allocation.
[[nodiscard]] std::uint64_t next_chunk_bytes(const model::BucketPolicy& bucket, std::uint64_t held_bytes,
                                             std::uint64_t largest_bytes);

// For a request that needs so much, a multiple of the unit; `shrink` divides the usual size where memory is short.
[[nodiscard]] std::uint64_t new_chunk_bytes(const model::BucketPolicy& bucket, std::uint64_t held_bytes,
                                            std::uint64_t largest_bytes, std::uint64_t shrink,
                                            std::uint64_t needed_bytes);

}  // namespace heapwright::contract
