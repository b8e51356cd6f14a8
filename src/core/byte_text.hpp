// Byte counts for people. Pure and thread-safe.
#pragma once

#include <cstdint>
#include <string>

namespace heapwright {

// "20 bytes", "16 MiB", "20.02 KiB": four digits at most.
[[nodiscard]] std::string byte_text(std::uint64_t bytes);

}  // namespace heapwright
