// No bucket may be starved by the chunks of others: one chunk for each bucket of a heap fits the heap's usable bytes.
// Where it does not, the largest chunks shrink first, all to one cap, none below its smallest.
// Sizes in bytes. Pure and thread-safe; no errors: what cannot fit says so.
#pragma once

#include <algorithm>
#include <cstdint>
#include <span>
#include <vector>

#include "heapwright/model/policy.hpp"

namespace heapwright::contract {

// A chunk is at most this part of its heap's usable bytes, so that a small heap is not one chunk.
inline constexpr std::uint64_t kFewestChunks = 8;
// What stands by prepared in all buckets of a heap is at most this part of the usable bytes, and no more than one chunk
// for each bucket leaves.
inline constexpr std::uint64_t kAheadParts = 16;

struct ChunkWish {
    std::uint64_t wanted_bytes = 0;
    std::uint64_t smallest_bytes = 0;  // below which it does not shrink
    std::uint64_t unit_bytes = 1;      // a shrunk chunk is a multiple of this
    std::uint64_t resource_bytes = 0;  // takes so much at least, in an allocation of its own where a chunk is smaller
};

struct OneChunkEach {
    std::vector<std::uint64_t> chunk_bytes;  // parallel to the wishes
    std::uint64_t wanted_total_bytes = 0;    // saturates, as does the proof's
    model::HeapFeasibility proof;
};

[[nodiscard]] OneChunkEach fit_one_chunk_each(const model::HeapPolicy& heap, std::span<const ChunkWish> wishes);

// What is left of a heap's bytes that may stand by prepared. Without a proof no chunk is counted off.
class RoomAhead {
public:
    RoomAhead(const model::HeapPolicy& heap, std::span<const model::HeapFeasibility> proofs);

    [[nodiscard]] std::uint64_t bytes() const { return bytes_; }
    // So many chunks fit.
    [[nodiscard]] std::uint64_t chunks(const model::BucketPolicy& bucket) const { return bytes_ / chunk_bytes(bucket); }
    // No more than fit.
    void take(std::uint64_t chunks, const model::BucketPolicy& bucket) { bytes_ -= chunks * chunk_bytes(bucket); }

private:
    [[nodiscard]] static std::uint64_t chunk_bytes(const model::BucketPolicy& bucket) {
        return std::max<std::uint64_t>(1, bucket.chunk_size_bytes.value);
    }

    std::uint64_t bytes_;
};

}  // namespace heapwright::contract
