// What the standard sweeps ask of every API: the grids of extents and sizes, and the cases. Pure.
#pragma once

#include <cstdint>
#include <vector>

#include "heapwright/model/sweep.hpp"

namespace heapwright::probe {

// Every pair of powers of two from 1 to the larger of 4096 and `max_side`, and common odd extents.
[[nodiscard]] model::ImageGrid image_grid(std::uint32_t max_side);

// Formats by the usages that engines give them, in both tilings; mip chains, layers, samples and 3D for optimal tiling.
[[nodiscard]] std::vector<model::ImageCase> standard_image_cases();

// The two together, not asked yet.
[[nodiscard]] model::ImageSweep standard_image_sweep(std::uint32_t max_side);

// No buffer larger than this is swept.
inline constexpr std::uint64_t kLargestSweptBuffer = 1ull << 40;

// 1 to 64, powers of two and their neighbours, odd sizes, up to and including `max_bytes`.
[[nodiscard]] std::vector<std::uint64_t> buffer_sizes(std::uint64_t max_bytes);

// Each usage alone, the combinations that engines make, and all together.
[[nodiscard]] std::vector<model::BufferCase> standard_buffer_cases();

[[nodiscard]] model::BufferSweep standard_buffer_sweep(std::uint64_t max_bytes);

}  // namespace heapwright::probe
