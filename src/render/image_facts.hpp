// What the points of one image case show, in the words and figures of "Vulkan Memory Allocation (Part 1 of N)". Pure
// and thread-safe.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <span>
#include <string>

#include "render/detail/image_points.hpp"

namespace heapwright::render {

// Bytes of an image for each byte of its texels.
struct OverheadFacts {
    double most = 0;
    std::array<std::uint32_t, 2> most_at{};  // width, height
    std::optional<double> large_average;     // of images of 64 KiB of texels and more; empty: there are none
};

struct ImageFacts {
    std::string alignment;          // "always 1024", "4096 or 65536; 65536 exactly when both sides are at least 128"
    std::string largest_alignment;  // the part behind the semicolon; empty: no such rule holds for every point
    std::uint64_t smallest_bytes = 0;
    std::uint64_t square_points = 0;                      // whose sides are powers of two
    std::uint64_t square_powers = 0;                      // of these, whose size is a power of two
    std::optional<std::array<std::uint64_t, 2>> example;  // of 128 x 16: bytes it takes, bytes of its texels
    std::optional<std::array<std::uint64_t, 2>> equal;    // 2 x 4096 costs as much as up to this width: width, bytes
    std::optional<OverheadFacts> overhead;                // over the grid; empty: no point is on it
};

// `points` must not be empty.
[[nodiscard]] ImageFacts image_facts(std::span<const detail::ImagePoint> points);

}  // namespace heapwright::render
