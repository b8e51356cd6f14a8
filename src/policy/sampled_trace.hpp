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
#include <span>
#include <vector>

#include "heapwright/policy/placement.hpp"

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

}  // namespace heapwright::policy
