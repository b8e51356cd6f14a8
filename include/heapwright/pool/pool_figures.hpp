// What a memory pool holds, bucket by bucket and heap by heap. Plain values; sizes in bytes.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "heapwright/suballoc/figures.hpp"

namespace heapwright::pool {

// Chunks that were allocated in the background, ahead of need.
struct PreparationFigures {
    std::uint64_t prepared = 0;
    std::uint64_t taken_ready = 0;  // by a request that needed a chunk
    std::uint64_t taken_late = 0;   // the request found none ready that holds it, and asked the device itself
    std::uint64_t given_back = 0;   // without use: under pressure, or too large for what the bucket holds now
    std::uint64_t failed = 0;       // the device or a limit refused one more

    PreparationFigures& operator+=(const PreparationFigures& other) {
        prepared += other.prepared;
        taken_ready += other.taken_ready;
        taken_late += other.taken_late;
        given_back += other.given_back;
        failed += other.failed;
        return *this;
    }
};

// One chunk in use.
struct ChunkFigures {
    std::uint64_t size_bytes = 0;
    suballoc::Figures suballocations;  // pending releases count as used
    std::vector<double> used_shares;   // of each of equal parts, in the order of offsets
};

struct BucketFigures {
    std::string id;
    std::uint32_t memory_type = 0;
    std::uint64_t chunks = 0;  // all that are taken from the device
    std::uint64_t empty_chunks = 0;
    std::uint64_t ready_chunks = 0;  // prepared and not yet in use
    std::uint64_t reserved_bytes = 0;
    PreparationFigures preparation;
    suballoc::Figures suballocations;  // summed over the chunks; pending releases count as used
    double mean_fragmentation = 0;     // mean over the chunks that have free bytes
};

struct HeapFigures {
    std::uint32_t heap = 0;
    std::uint64_t limit_bytes = 0;     // what the policy and the caller allow
    std::uint64_t reserved_bytes = 0;  // chunks, dedicated allocations and `beside_bytes`
    std::uint64_t used_bytes = 0;      // ranges in use, dedicated allocations and `beside_bytes`
    std::uint64_t dedicated_bytes = 0;
    std::uint64_t beside_bytes = 0;    // charged to the pool's limits, allocated by others: an upload heap
    suballoc::Figures suballocations;  // summed over the chunks of all buckets in this heap

    [[nodiscard]] std::uint64_t free_bytes() const { return reserved_bytes - used_bytes; }
};

struct PoolFigures {
    std::vector<BucketFigures> buckets;
    std::vector<HeapFigures> heaps;
    std::uint64_t dedicated_allocations = 0;
    std::uint64_t beside_allocations = 0;
    std::uint64_t device_allocations = 0;       // chunks, dedicated and beside, now
    std::uint64_t device_allocation_calls = 0;  // ever made
    std::uint64_t pending_releases = 0;         // released, waiting for their timeline value
    std::uint64_t pending_bytes = 0;
    PreparationFigures preparation;
    suballoc::Figures suballocations;  // summed over all chunks
};

}  // namespace heapwright::pool
