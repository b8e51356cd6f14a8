// What bench_pool_device plays: RGBA8 images and buffers, a load and then steps that each destroy
// one live resource and create another of its kind. Sizes are log-uniform; they shrink together where the live
// resources would pass the memory allowed. Same arguments, same trace. Sizes in bytes.
#pragma once

#include <cstdint>
#include <vector>

#include "heapwright/model/resource.hpp"
#include "heapwright/model/workload.hpp"

namespace heapwright::bench {

constexpr std::uint32_t kStepsPerFrame = 20;

struct Population {
    std::uint32_t images = 0;
    std::uint32_t buffers = 0;
    std::uint32_t largest_side = 0;          // texels
    std::uint64_t largest_buffer_bytes = 0;  // 256 at least

    [[nodiscard]] std::uint32_t all() const { return images + buffers; }
};

struct Step {
    std::uint32_t victim = ~0u;  // none while loading
    model::ResourceDescription created;
};

// `live` resources whose expected sizes sum up to half of `memory_bytes` at most, where the smallest allow it.
enum class Kinds : std::uint8_t { kBoth, kHalfImages, kImages, kBuffers };  // kBoth: two of seven are images
[[nodiscard]] Population population_of(std::uint32_t live, std::uint64_t memory_bytes, Kinds kinds = Kinds::kBoth);

[[nodiscard]] std::vector<Step> make_trace(const Population& one, std::uint32_t steps, std::uint64_t seed);

// What the policy is advised for.
[[nodiscard]] model::Workload workload_of(const Population& one);

}  // namespace heapwright::bench
