// Times as people read them. Pure and thread-safe.
#pragma once

#include <cstdint>
#include <string>

namespace heapwright {

// 1234567 -> "1.23 ms".
[[nodiscard]] std::string time_text(std::uint64_t ns);

}  // namespace heapwright
