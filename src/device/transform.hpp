// What TransformBuffer does to one word, on the host: the shaders' loops compute the same. Pure.
#pragma once

#include <cstdint>

namespace heapwright::device {

// A linear congruential step; the constants are those of Numerical Recipes.
inline constexpr std::uint32_t kTransformFactor = 1664525;
inline constexpr std::uint32_t kTransformAddend = 1013904223;

[[nodiscard]] constexpr std::uint32_t transform_word(std::uint32_t word, std::uint32_t key, std::uint32_t rounds) {
    for (std::uint32_t round = 0; round < rounds; ++round) word = (word ^ key) * kTransformFactor + kTransformAddend;
    return word;
}

}  // namespace heapwright::device
