// Two-level size bins: a 5-bit mantissa gives 32 bins an octave, so bins below 64 hold one size each and any other
// spans at most 1/32 of its sizes. A bitmap of bins and one word over it find the next filled bin in constant time.
// Sizes are granules, not 0. Pure or plain state; not thread-safe.
// Source: Masmano et al., "TLSF: a new dynamic memory allocator for real-time systems" (2004); the number form is that
// of a small float.
#pragma once

#include <array>
#include <bit>
#include <cstdint>
#include <span>

namespace heapwright::suballoc::detail {

constexpr std::uint32_t kMantissaBits = 5;
constexpr std::uint32_t kBinCount = (64 - kMantissaBits - 1) * 32 + 64;
constexpr std::uint32_t kExactBins = 64;  // bins below this hold exactly one size

[[nodiscard]] constexpr std::uint32_t bin_of(std::uint64_t size) {
    const auto shift = (63 ^ static_cast<std::uint32_t>(std::countl_zero(size | 32))) - kMantissaBits;
    return (shift << kMantissaBits) + static_cast<std::uint32_t>(size >> shift);
}

// bin_of(a) == bin_of(b) for a != b, without the search for the highest bit that two bins cost: the highest bit that
// differs must lie more than the mantissa below the highest of all. highest(x) < highest(y) is x < (y & ~x).
[[nodiscard]] constexpr bool are_of_one_bin(std::uint64_t a, std::uint64_t b) {
    const std::uint64_t difference = a ^ b;
    return difference < (a >> kMantissaBits & ~difference);
}

// The smallest size of a bin.
[[nodiscard]] constexpr std::uint64_t bin_begin(std::uint32_t bin) {
    if (bin < kExactBins) return bin;
    const std::uint32_t shift = (bin >> kMantissaBits) - 1;
    return static_cast<std::uint64_t>((bin & 31) | 32) << shift;
}

class BinBitmap {
public:
    static constexpr std::uint32_t kNoBin = ~0u;

    void set(std::uint32_t bin) {
        words_[bin >> 6] |= 1ull << (bin & 63);
        summary_ |= 1u << (bin >> 6);
    }
    void clear(std::uint32_t bin) {
        const std::uint64_t word = words_[bin >> 6] &= ~(1ull << (bin & 63));
        summary_ &= ~(static_cast<std::uint32_t>(word == 0) << (bin >> 6));
    }
    [[nodiscard]] bool test(std::uint32_t bin) const { return (words_[bin >> 6] >> (bin & 63) & 1) != 0; }

    // The first filled bin at or after `bin`.
    [[nodiscard]] std::uint32_t first_from(std::uint32_t bin) const {
        std::uint32_t word_index = bin >> 6;
        std::uint64_t word = words_[word_index] & (~0ull << (bin & 63));
        if (word == 0) {
            const std::uint32_t later = summary_ & (~1u << word_index);
            if (later == 0) return kNoBin;
            word_index = static_cast<std::uint32_t>(std::countr_zero(later));
            word = words_[word_index];
        }
        return (word_index << 6) + static_cast<std::uint32_t>(std::countr_zero(word));
    }

    void reset() { *this = {}; }

    // The bits of the bins below `bin_count`, and some above.
    [[nodiscard]] std::span<const std::uint64_t> words(std::uint32_t bin_count) const {
        return {words_.data(), bin_count / 64 + 1};
    }

private:
    // One word more than the bins fill, so that the search may begin after the last bin.
    static constexpr std::uint32_t kWords = kBinCount / 64 + 1;
    static_assert(kWords <= 31);

    std::array<std::uint64_t, kWords> words_ = {};
    std::uint32_t summary_ = 0;
};

}  // namespace heapwright::suballoc::detail
