// The distance at which data of different threads does not disturb each other: two lines of 64 bytes, since processors
// fetch them in pairs. A constant of the project, so that layouts do not depend on the compiler's flags.
#pragma once

#include <cstddef>

namespace heapwright {

inline constexpr std::size_t kCacheLineBytes = 128;

}  // namespace heapwright
