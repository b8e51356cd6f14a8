// Size arithmetic that cannot wrap unseen. All sizes are bytes or granules in std::uint64_t.
// Every function is pure and thread-safe.
#pragma once

#include <bit>
#include <cstdint>
#include <limits>
#include <optional>

namespace heapwright {

[[nodiscard]] constexpr std::optional<std::uint64_t> checked_add(std::uint64_t a, std::uint64_t b) {
    if (b > std::numeric_limits<std::uint64_t>::max() - a) return std::nullopt;
    return a + b;
}

[[nodiscard]] constexpr std::optional<std::uint64_t> checked_mul(std::uint64_t a, std::uint64_t b) {
    if (a != 0 && b > std::numeric_limits<std::uint64_t>::max() / a) return std::nullopt;
    return a * b;
}

[[nodiscard]] constexpr bool is_power_of_two(std::uint64_t value) {
    return std::has_single_bit(value);
}

// Rounds up to a multiple of a power-of-two alignment; nothing when the result does not fit 64 bits.
[[nodiscard]] constexpr std::optional<std::uint64_t> checked_align_up(std::uint64_t value, std::uint64_t alignment) {
    const auto sum = checked_add(value, alignment - 1);
    if (!sum) return std::nullopt;
    return *sum & ~(alignment - 1);
}

// The same where the caller has already bounded `value`.
[[nodiscard]] constexpr std::uint64_t align_up(std::uint64_t value, std::uint64_t alignment) {
    return (value + (alignment - 1)) & ~(alignment - 1);
}

// At least one multiple; the largest of 64 bits where the next one does not fit. An alignment of 0 is 1.
[[nodiscard]] constexpr std::uint64_t align_up_or_largest(std::uint64_t value, std::uint64_t alignment) {
    const std::uint64_t unit = alignment == 0 ? 1 : alignment;
    return checked_align_up(value == 0 ? 1 : value, unit)
        .value_or(std::numeric_limits<std::uint64_t>::max() & ~(unit - 1));
}

[[nodiscard]] constexpr std::uint64_t align_down(std::uint64_t value, std::uint64_t alignment) {
    return value & ~(alignment - 1);
}

// Of an estimate in floating point: 0 for what is none, the largest value for what 64 bits do not hold.
[[nodiscard]] constexpr std::uint64_t saturating_bytes(double bytes) {
    constexpr double kTwoTo64 = 18446744073709551616.0;
    if (!(bytes > 0)) return 0;
    if (bytes >= kTwoTo64) return std::numeric_limits<std::uint64_t>::max();
    return static_cast<std::uint64_t>(bytes);
}

// Integer division rounding up; `divisor` is not 0.
[[nodiscard]] constexpr std::uint64_t div_ceil(std::uint64_t value, std::uint64_t divisor) {
    return value / divisor + (value % divisor != 0 ? 1 : 0);
}

}  // namespace heapwright
