// Binary units, in bytes. Constants alone.
#pragma once

#include <cstdint>

namespace heapwright {

inline constexpr std::uint64_t kKiB = 1ull << 10;
inline constexpr std::uint64_t kMiB = 1ull << 20;
inline constexpr std::uint64_t kGiB = 1ull << 30;

}  // namespace heapwright
