// Where a resource lives: a range of a chunk. A plain value; who holds it gives it back to its pool exactly once.
// Sizes in bytes.
#pragma once

#include <cstdint>

#include "device/memory_source.hpp"
#include "heapwright/core/index.hpp"
#include "heapwright/suballoc/suballocation.hpp"

namespace heapwright::pool {

struct Placement {
    device::AllocationId heap;
    std::uint64_t offset_bytes = 0;
    std::uint64_t size_bytes = 0;  // reserved, the suballocator's rounding included
    MemoryTypeIndex memory_type;
    std::uint32_t bucket = 0;  // position in DevicePolicy::buckets
    std::uint32_t chunk = 0;   // the bucket's slot
    suballoc::SuballocationHandle handle;
};

}  // namespace heapwright::pool
