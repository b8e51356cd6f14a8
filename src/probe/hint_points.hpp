// The points that stand for a workload's hints, and whether a sweep holds them already. Pure.
#pragma once

#include <array>
#include <cstdint>
#include <vector>

#include "heapwright/model/sweep.hpp"
#include "heapwright/model/workload.hpp"

namespace heapwright::probe {

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
