// What the standard sweeps ask of every API: the grids of extents and sizes, and the cases. Pure.
// Beside it: the points that stand for a workload's hints.
#pragma once

#include <array>
#include <cstdint>
#include <vector>

#include "heapwright/model/sweep.hpp"
#include "heapwright/model/workload.hpp"

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

// The points that stand for a workload's hints, and whether a sweep holds them already. Pure.

// Width and height.
using Extent = std::array<std::uint32_t, 2>;

// The hint without its extents or sizes.
[[nodiscard]] model::ImageCase case_of(const model::ImageHint& hint);
[[nodiscard]] model::BufferCase case_of(const model::BufferHint& hint);

// The hint's exact extents; where its sides or sizes are drawn between two bounds, the bounds and the powers of two
// between them. Each once.
[[nodiscard]] std::vector<Extent> points_of(const model::ImageHint& hint);
[[nodiscard]] std::vector<std::uint64_t> points_of(const model::BufferHint& hint);

// Whether the grid or the points hold this description.
[[nodiscard]] bool answers(const model::ImageSweep& sweep, const model::ImageDescription& image);
[[nodiscard]] bool answers(const model::BufferSweep& sweep, const model::BufferDescription& buffer);

}  // namespace heapwright::probe
