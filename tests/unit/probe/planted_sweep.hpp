// Sweeps whose rules are known because the test planted them.
#pragma once

#include <array>
#include <cstdint>
#include <functional>

#include "heapwright/model/report.hpp"

namespace heapwright::test {

struct PlantedAnswer {
    std::uint64_t size_bytes = 0;
    std::uint64_t alignment_bytes = 1;
};

using PlantedImageRule = std::function<PlantedAnswer(std::uint32_t width, std::uint32_t height)>;
using PlantedBufferRule = std::function<PlantedAnswer(std::uint64_t size_bytes)>;

// Powers of two to 16384 and five odd extents.
[[nodiscard]] model::ImageGrid full_grid();

// One RGBA8 case for each rule.
[[nodiscard]] model::DeviceReport image_report(const std::vector<PlantedImageRule>& rules);

[[nodiscard]] model::DeviceReport buffer_report(const std::vector<PlantedBufferRule>& rules);

// Width * height * 4 rounded up.
[[nodiscard]] std::uint64_t rgba8_bytes(std::uint32_t width, std::uint32_t height, std::uint64_t rounding);

}  // namespace heapwright::test
