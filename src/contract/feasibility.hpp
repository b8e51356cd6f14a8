// No bucket may be starved by the chunks of others: one chunk for each bucket of a heap fits the heap's usable bytes.
// Where it does not, the largest chunks shrink first, all to one cap, none below its smallest.
// Sizes in bytes. Pure and thread-safe; no errors: what cannot fit says so.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

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
    std::uint64_t wanted_total_bytes = 0;    // saturates, as does the next
    std::uint64_t total_bytes = 0;
    bool fits = false;
};

[[nodiscard]] OneChunkEach fit_one_chunk_each(std::span<const ChunkWish> wishes, std::uint64_t usable_bytes);

// The bytes of a heap that may stand by prepared.
[[nodiscard]] std::uint64_t room_for_chunks_ahead(std::uint64_t usable_bytes, std::uint64_t one_chunk_each_bytes);

}  // namespace heapwright::contract
