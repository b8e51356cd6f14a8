// Rules of single settings of a bucket: its priority, the chunks that it keeps ready, its granule, and whether linear
// and optimal resources share it. Pure.
#pragma once

#include <span>
#include <string>
#include <vector>

#include "policy/buckets.hpp"
#include "policy/memory_types.hpp"

namespace heapwright::policy {

// Rule: which memory stays on the device when there is not enough for all. A bucket is worth as much as the most urgent
// resource that its chunks or its dedicated allocations hold:
//   1    what the device writes (attachments, storage): paged out, every frame that uses it waits
//   0.5  what it reads (textures, vertices, constants): the API's own value
//   0    what is copied from or to the host once (upload and readback)
// Only where the report says that the device takes priorities (VK_EXT_memory_priority, memoryPriority). Pure.
// Writes `priority` of every bucket, or none and a warning that says why not.
void decide_priorities(const Context& context, std::span<const PlacedDemand> placed, std::vector<Bucket>& buckets,
                       model::Statement& warnings);

// Rule: how many chunks a bucket keeps ready, allocated and touched in the background, so that no request waits for the
// device.
//   0  where allocating a chunk takes at most a hundredth of the frame budget, and where nobody measured what it takes
//   else the most new chunks that one frame of the simulated workload takes (at least one), times the frames that
//   preparing so many takes; held within the heap's part for it and within a part of the device allocations
// What the heap has for it: a sixteenth of its usable bytes, and no more than one chunk for each bucket leaves.
// Pure.

// Writes chunks_ahead of every bucket. After make_feasible(); `buckets` belong to `policy.heaps`.
void decide_chunks_ahead(const Context& context, const model::DevicePolicy& policy, std::vector<Bucket>& buckets);

// Rule: whether linear resources (buffers, linear images) and optimal images may share a chunk. bufferImageGranularity
// is the page on which the two must not meet. Pure.
// Source: Vulkan specification, "Resource Memory Association", buffer-image granularity.

// The granularity that a Vulkan device may state at most.
inline constexpr std::uint64_t kGuaranteedGranularity = 131072;

[[nodiscard]] model::Decided<bool> decide_separation(const Context& context, std::span<const PlacedDemand> placed,
                                                     model::Statement& warnings);

// The value of decide_granule() without its reasons.
[[nodiscard]] std::uint64_t granule_of(const Context& context, std::uint64_t alignment_bytes,
                                       std::uint32_t memory_type);

struct GranuleInputs {
    std::uint64_t alignment_bytes = 1;           // S
    std::uint64_t smallest_alignment_bytes = 1;  // of the resources that share the bucket; S where they are all alike
    std::uint32_t memory_type = 0;
    bool mixes_classes = false;  // linear and optimal resources side by side: a granule of bufferImageGranularity
};

// Offsets and sizes of a bucket are multiples of this: the smallest alignment of its resources, not less than what a
// non-coherent type needs for flushes that leave the neighbours alone. A power of two.
[[nodiscard]] model::Decided<std::uint64_t> decide_granule(const Context& context, const GranuleInputs& inputs);

}  // namespace heapwright::policy
