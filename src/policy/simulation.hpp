// Runs a sampled trace through one bucket and says what it reserves and what that costs. What runs is the memory
// pool's own set of chunks (pool/chunk_set.hpp) over memory that is numbers; what is above the dedicated threshold gets
// memory of its own. The bucket may keep as much empty as its heap's share for all buckets allows.
// Sizes in bytes, times in nanoseconds. Pure; same input, same figures.
#pragma once

#include <cstdint>
#include <functional>
#include <limits>

#include "heapwright/policy/allocation_cost.hpp"
#include "heapwright/policy/sampled_trace.hpp"

namespace heapwright::policy {

// Chunk sizes as model::ChunkGrowth; fixed where first_bytes is chunk_bytes.
struct ChunkRule {
    std::uint64_t chunk_bytes = 0;
    std::uint64_t first_bytes = 0;
    std::uint64_t divisor = 1;
    std::uint64_t dedicated_threshold_bytes = std::numeric_limits<std::uint64_t>::max();
    std::uint64_t granule_bytes = 1;
    model::ChunkChoice choice = model::ChunkChoice::kFullest;

    friend bool operator==(const ChunkRule&, const ChunkRule&) = default;
};

struct SimulatedFigures {
    double mean_reserved_bytes = 0;  // over the frames after loading
    double mean_used_bytes = 0;      // bytes asked for
    std::uint64_t peak_reserved_bytes = 0;
    std::uint64_t peak_allocations = 0;  // device allocations alive, dedicated ones included
    std::uint64_t allocation_calls = 0;
    std::uint64_t most_new_chunks = 0;  // in one frame after loading; without dedicated allocations
    // Allocating and freeing device memory in one frame: the worst after loading, and no less than the dearest single
    // allocation of the whole run, which some frame would have to bear.
    double worst_frame_ns = 0;
    double mean_frame_ns = 0;  // over the frames after loading
    // Of the frames after loading alone, and without taking chunks, which the background may have ready.
    double worst_unprepared_ns = 0;
    double mean_unprepared_ns = 0;

    [[nodiscard]] double waste() const {
        return mean_used_bytes > 0 ? (mean_reserved_bytes - mean_used_bytes) / mean_used_bytes : 0;
    }
};

// `belongs` says which resources of the trace are the bucket's; the others are passed over.
[[nodiscard]] SimulatedFigures simulate(const SampledTrace& trace, const model::BucketPolicy& bucket,
                                        const AllocationCost& cost,
                                        const std::function<bool(const SampledResource&)>& belongs);
[[nodiscard]] SimulatedFigures simulate(const SampledTrace& trace, const ChunkRule& rule, const AllocationCost& cost,
                                        const std::function<bool(const SampledResource&)>& belongs);

// The Vulkan Memory Allocator's default rule over the whole trace, placed exactly as it places (vma_pool.hpp).
[[nodiscard]] SimulatedFigures simulate_vma(const SampledTrace& trace, std::uint64_t heap_bytes,
                                            std::uint64_t granularity_bytes, const AllocationCost& cost);

}  // namespace heapwright::policy
