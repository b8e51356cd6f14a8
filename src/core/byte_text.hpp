// Byte counts as people write and read them. Pure and thread-safe.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "heapwright/core/result.hpp"

namespace heapwright {

// "20 bytes", "16 MiB", "20.02 KiB": four digits at most.
[[nodiscard]] std::string byte_text(std::uint64_t bytes);

// "512MiB", "1.5 GiB", "64k", "4096": a decimal number and a unit of powers of 1024 (B, K, KB, KiB, ... E, EB, EiB, in
// any case; without one bytes). Errors: kInvalidArgument for anything else, kOutOfRange beyond 64 bits.
[[nodiscard]] Result<std::uint64_t> parse_byte_count(std::string_view text);

}  // namespace heapwright
