// A swept image case as the charts take it: one point for each extent that the driver answered. Pure and thread-safe.
#pragma once

#include <cstdint>
#include <vector>

#include "heapwright/model/sweep.hpp"

namespace heapwright::render::detail {

struct ImagePoint {
    std::uint32_t width = 0;
    std::uint32_t height = 0;
    bool on_grid = false;           // of widths x heights, not one of the extra extents
    std::uint64_t texel_bytes = 0;  // of the texels alone
    std::uint64_t alignment_bytes = 0;
    std::uint64_t size_bytes = 0;
};

// In the sweep's order. `entry` must be supported: it has a table.
[[nodiscard]] std::vector<ImagePoint> image_points_of(const model::ImageSweep& sweep, const model::ImageCase& entry);

// Whether "Vulkan Memory Allocation (Part 1 of N)" draws it: powers of two up to the extent that every Vulkan device
// must support.
[[nodiscard]] bool is_in_article(const ImagePoint& point);

inline constexpr std::uint32_t kArticleLimit = 4096;

// Bytes of the image for each byte of its texels.
[[nodiscard]] inline double overhead_of(const ImagePoint& point) {
    return static_cast<double>(point.size_bytes) / static_cast<double>(point.texel_bytes);
}

}  // namespace heapwright::render::detail
