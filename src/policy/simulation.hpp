// The simulation of one bucket: the sampled trace of its memory type, and what a rule reserves for it.
//
// A workload's demand on one memory type as a sequence of creations and destructions, sampled deterministically:
//   load: everything but the resources of one frame, then frames until as many are in flight as ever are
//   then frames: the frame's own resources are created | churn steps | what the frame in flight longest gave up is
//   destroyed | end of frame
// A churn step gives up one streaming resource, or a sixteenth of a level hint's part, and creates as many of the
// same part again, as workload::ResourceStream does. What a frame gives up, its own resources too, is destroyed
// `frames_in_flight` frames later, when the device is through with it. Sizes as the driver asks, in bytes. Pure; same
// input, same trace.
#pragma once

#include <cstdint>
#include <functional>
#include <limits>
#include <span>
#include <vector>

#include "policy/allocation_cost.hpp"
#include "policy/memory_types.hpp"

namespace heapwright::policy {

struct SampledResource {
    std::uint64_t size_bytes = 1;
    std::uint64_t alignment_bytes = 1;
    model::ResourceClass resource_class = model::ResourceClass::kLinear;
};

struct TraceStep {
    enum class Kind : std::uint8_t { kCreate, kDestroy, kEndFrame };
    Kind kind = Kind::kEndFrame;
    std::uint32_t resource = 0;
};

struct SampledTrace {
    std::vector<SampledResource> resources;
    std::vector<TraceStep> steps;
    std::size_t load_steps = 0;        // the first of `steps`
    double share = 1;                  // of the workload's resources, at most 1
    double share_of_held = 1;          // of those that the heap can hold at the same time, at most 1
    std::uint64_t heap_bytes = ~0ull;  // of what the heap can hold, the part that share_of_held stands for
    std::uint64_t largest_bytes = 0;
};

struct SampleOptions {
    std::uint64_t most_resources = 16384;  // alive at the same time; a larger population is drawn in proportion
    std::uint64_t churn_steps = 4000;      // creations after loading, in at least 16 frames
    std::uint64_t most_bytes = ~0ull;      // alive: what the heap can hold
    std::uint64_t most_played = 262'144;   // alive where the whole policy is played; beyond it a part is
};

// `all_units` is the number of resources that churn in the whole workload, so that a type gets its share of a frame's
// steps.
[[nodiscard]] SampledTrace sample_trace(const model::Workload& workload, std::span<const PlacedDemand> placed,
                                        double all_units, const SampleOptions& options);

[[nodiscard]] double churning_units(std::span<const PlacedDemand> placed);

// Runs a sampled trace through one bucket and says what it reserves and what that costs. What runs is the memory
// pool's own set of chunks (pool/chunk_set.hpp) over memory that is numbers; what is above the dedicated threshold gets
// memory of its own. The bucket may keep as much empty as its heap's share for all buckets allows.
// Sizes in bytes, times in nanoseconds. Pure; same input, same figures.

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

// The Vulkan Memory Allocator's default rule over the whole trace, placed exactly as it places (vma.hpp).
[[nodiscard]] SimulatedFigures simulate_vma(const SampledTrace& trace, std::uint64_t heap_bytes,
                                            std::uint64_t granularity_bytes, const AllocationCost& cost);

}  // namespace heapwright::policy
