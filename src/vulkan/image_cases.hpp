// What the standard image sweep asks: the grid of extents and the cases. Pure.
#pragma once

#include <cstdint>
#include <vector>

#include "heapwright/model/sweep.hpp"

namespace heapwright::vulkan {

// Every pair of powers of two from 1 to the larger of 4096 and `max_side`, and common odd extents.
[[nodiscard]] model::ImageGrid image_grid(std::uint32_t max_side);

// Formats by the usages that engines give them, in both tilings; mip chains, layers, samples and 3D for optimal tiling.
[[nodiscard]] std::vector<model::ImageCase> standard_image_cases();

}  // namespace heapwright::vulkan
