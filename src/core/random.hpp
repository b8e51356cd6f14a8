// The project's only random numbers: xorshift64* with the seed of the benchmark traces, so that one seed gives one
// sequence on every platform. Not thread-safe; one generator a thread.
// Source: Marsaglia 2003 (xorshift), Vigna 2016 (multiplier 0x2545F4914F6CDD1D).
#pragma once

#include <cstdint>

namespace heapwright {

class Random {
public:
    explicit constexpr Random(std::uint64_t seed) : state_(seed * 0x9E3779B97F4A7C15ull + 1) {
        if (state_ == 0) state_ = 1;
    }

    [[nodiscard]] constexpr std::uint64_t next() {
        state_ ^= state_ << 13;
        state_ ^= state_ >> 7;
        state_ ^= state_ << 17;
        return state_ * 0x2545F4914F6CDD1Dull;
    }

    // Uniform in [0, bound); bound is not 0. Bias below 2^-32 for bounds under 2^32.
    [[nodiscard]] constexpr std::uint64_t below(std::uint64_t bound) { return next() % bound; }

    // Uniform in [first, last], both included.
    [[nodiscard]] constexpr std::uint64_t between(std::uint64_t first, std::uint64_t last) {
        const std::uint64_t span = last - first;
        return span == ~0ull ? next() : first + below(span + 1);
    }

    // Uniform in [0, 1).
    [[nodiscard]] constexpr double unit() { return static_cast<double>(next() >> 11) * 0x1.0p-53; }

private:
    std::uint64_t state_;
};

}  // namespace heapwright
