// The largest numbers that the fields of a report hold.
#pragma once

#include <cstdint>
#include <limits>

namespace heapwright::imports::detail {

inline constexpr std::uint64_t kMax32 = std::numeric_limits<std::uint32_t>::max();
inline constexpr std::uint64_t kMax64 = std::numeric_limits<std::uint64_t>::max();

}  // namespace heapwright::imports::detail
