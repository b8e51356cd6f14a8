// Rule: whether linear resources (buffers, linear images) and optimal images may share a chunk. bufferImageGranularity
// is the page on which the two must not meet. Pure.
// Source: Vulkan specification, "Resource Memory Association", buffer-image granularity.
#pragma once

#include <span>

#include "policy/memory_types.hpp"

namespace heapwright::policy {

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
