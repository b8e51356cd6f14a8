// No bucket may be starved by the chunks of others: one chunk for each bucket of a heap fits the heap's usable bytes.
// Where it does not, the largest chunks shrink first, all to one cap, none below its smallest.
// Sizes in bytes. Pure and thread-safe; no errors: what cannot fit says so.
// Beside it: what a budget leaves to take, and the device limits that memory is placed by.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "heapwright/model/policy.hpp"
#include "heapwright/model/report.hpp"

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

// What a heap's size, the budget that the device reports of it and what is in use leave to take: stated once, for what
// plans, simulates, replays or executes.
//   a budget of 0, or none, is unknown: the heap's size counts
//   a budget above its heap counts as the heap's size
//   what the process that asks uses already is taken off; more than all of it leaves nothing
// VkPhysicalDeviceMemoryBudgetPropertiesEXT: heapBudget is how much this process can allocate from the heap and
// includes what it has allocated; it must be non-zero and at most VkMemoryHeap::size. heapUsage is what this process
// uses. DXGI_QUERY_VIDEO_MEMORY_INFO: Budget is what the application should target, CurrentUsage its own usage. So what
// other processes hold is off the budget already. The usage in a report is that of the process that wrote it: a plan
// for another one takes nothing off, and a process that allocates on has its budget less its usage.
// Sizes in bytes. Pure and thread-safe; no errors.

// Empty where the device names none.
[[nodiscard]] std::optional<std::uint64_t> known_budget(std::uint64_t reported_bytes);
[[nodiscard]] std::optional<std::uint64_t> known_budget(const model::DeviceReport& device, std::size_t heap);

[[nodiscard]] std::uint64_t usable_budget(std::uint64_t heap_bytes, std::optional<std::uint64_t> budget_bytes,
                                          std::uint64_t used_bytes = 0);
// In a plan: of a process that has taken nothing yet. A heap that the report lacks has nothing.
[[nodiscard]] std::uint64_t usable_budget(const model::DeviceReport& device, std::size_t heap);

// Less the share that is left to other processes; 0 to 1, in millionths.
[[nodiscard]] std::uint64_t without_share(std::uint64_t bytes, double share);

// The limits that memory is placed by, and what stands in for one that a report does not state. Sizes in bytes. Pure
// and thread-safe.
// Source: Vulkan specification, "Limits". Direct3D 12 has none of them.

// Without one the heap alone bounds an allocation.
[[nodiscard]] inline std::uint64_t largest_allocation_bytes(const model::DeviceReport& facts) {
    return facts.limit("maxMemoryAllocationSize").value_or(~std::uint64_t{0});
}

// Without one as many as there is memory for.
[[nodiscard]] inline std::uint64_t most_allocations(const model::DeviceReport& facts) {
    return facts.limit("maxMemoryAllocationCount").value_or(~std::uint64_t{0});
}

// Without one linear and optimal resources may touch.
[[nodiscard]] inline std::uint64_t granularity_bytes(const model::DeviceReport& facts) {
    return facts.limit("bufferImageGranularity").value_or(1);
}

// Without one any range of mapped memory may be flushed.
[[nodiscard]] inline std::uint64_t flush_unit_bytes(const model::DeviceReport& facts) {
    return facts.limit("nonCoherentAtomSize").value_or(1);
}

}  // namespace heapwright::contract
