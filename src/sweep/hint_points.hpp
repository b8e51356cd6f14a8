// The points that stand for a workload's hints, and whether a sweep holds them already. Pure.
#pragma once

#include <array>
#include <cstdint>
#include <vector>

#include "heapwright/model/sweep.hpp"
#include "heapwright/model/workload.hpp"

namespace heapwright::sweep {

// The hint without its extents.
[[nodiscard]] model::ImageCase case_of(const model::ImageHint& hint);

// The hint's exact extents; where its sides or sizes are drawn between two bounds, the bounds and the powers of two
// between them. Each once.
[[nodiscard]] std::vector<std::array<std::uint32_t, 2>> hint_extents(const model::ImageHint& hint);
[[nodiscard]] std::vector<std::uint64_t> hint_sizes(const model::BufferHint& hint);

// Whether the grid or the points hold this description.
[[nodiscard]] bool answers(const model::ImageSweep& sweep, const model::ImageDescription& image);
[[nodiscard]] bool answers(const model::BufferSweep& sweep, const model::BufferDescription& buffer);

}  // namespace heapwright::sweep
