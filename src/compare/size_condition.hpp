// At which sizes something holds, in words: the simplest condition that is true of exactly the given points among all
// compared ones. Images: "at 128x128 and up", "at every size", "where a side is at least 64", ...; buffers: "from 4096
// bytes on". Where none fits: "at 12 of 230 sizes from 1x1 to 4096x64". Pure and thread-safe.
#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <string>

namespace heapwright::compare {

struct ConditionPoint {
    std::array<std::uint64_t, 2> at{};  // width and height, or size and 0
    bool holds = false;
};

[[nodiscard]] std::string image_condition(std::span<const ConditionPoint> points);
[[nodiscard]] std::string buffer_condition(std::span<const ConditionPoint> points);

}  // namespace heapwright::compare
