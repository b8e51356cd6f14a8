// What a memory pool holds, bucket by bucket and heap by heap. Plain values; sizes in bytes.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "heapwright/suballoc/figures.hpp"

namespace heapwright::runtime {

struct BucketFigures {
    std::string id;
    std::uint32_t memory_type = 0;
    std::uint64_t chunks = 0;
    std::uint64_t empty_chunks = 0;
    std::uint64_t reserved_bytes = 0;  // taken from the device
    suballoc::Figures suballocations;  // summed over the chunks; pending releases count as used
    double mean_fragmentation = 0;     // mean over the chunks that have free bytes
};

struct HeapFigures {
    std::uint32_t heap = 0;
    std::uint64_t limit_bytes = 0;     // what the policy and the caller allow
    std::uint64_t reserved_bytes = 0;  // chunks and dedicated allocations
    std::uint64_t used_bytes = 0;      // ranges in use and dedicated allocations
    std::uint64_t dedicated_bytes = 0;

    [[nodiscard]] std::uint64_t free_bytes() const { return reserved_bytes - used_bytes; }
};

struct PoolFigures {
    std::vector<BucketFigures> buckets;
    std::vector<HeapFigures> heaps;
    std::uint64_t dedicated_allocations = 0;
    std::uint64_t device_allocations = 0;       // chunks and dedicated, now
    std::uint64_t device_allocation_calls = 0;  // ever made
    std::uint64_t pending_releases = 0;         // released, waiting for their timeline value
    std::uint64_t pending_bytes = 0;
};

}  // namespace heapwright::runtime
