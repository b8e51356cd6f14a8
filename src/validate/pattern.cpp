#include "validate/pattern.hpp"

#include <algorithm>
#include <bit>
#include <cstring>

namespace heapwright::validate {
namespace {

constexpr std::uint32_t kStep = 0x9E3779B1u;  // odd, so that a period is 2^32 words

std::uint32_t stream_word(const Pattern& pattern, std::uint64_t index) {
    return ((pattern.base + static_cast<std::uint32_t>(index) * kStep) & pattern.keep_mask) | pattern.set_mask;
}

std::uint32_t load_word(const std::byte* bytes, std::uint64_t count) {
    std::uint32_t word = 0;
    std::memcpy(&word, bytes, static_cast<std::size_t>(std::min<std::uint64_t>(count, 4)));
    return word;
}

std::optional<Mismatch> compare_stream(const Pattern& pattern, std::span<const std::byte> bytes) {
    const std::uint64_t words = bytes.size() / 4;
    // Whole runs first: the loop has no early exit, so that it compiles to vector code.
    constexpr std::uint64_t kRun = 1024;
    for (std::uint64_t begin = 0; begin < words; begin += kRun) {
        const std::uint64_t end = std::min(begin + kRun, words);
        std::uint32_t difference = 0;
        for (std::uint64_t i = begin; i < end; ++i) {
            std::uint32_t seen = 0;
            std::memcpy(&seen, bytes.data() + i * 4, 4);
            difference |= (seen ^ stream_word(pattern, i)) & pattern.compare_mask;
        }
        if (difference == 0) continue;
        for (std::uint64_t i = begin; i < end; ++i) {
            const std::uint32_t seen = load_word(bytes.data() + i * 4, 4);
            if (((seen ^ stream_word(pattern, i)) & pattern.compare_mask) != 0)
                return Mismatch{.offset_bytes = i * 4, .expected = stream_word(pattern, i), .seen = seen};
        }
    }
    const std::uint64_t rest = bytes.size() - words * 4;
    if (rest == 0) return std::nullopt;
    const std::uint32_t rest_mask = (1u << (8 * rest)) - 1u;
    const std::uint32_t seen = load_word(bytes.data() + words * 4, rest);
    const std::uint32_t expected = stream_word(pattern, words) & rest_mask;
    if (((seen ^ expected) & pattern.compare_mask & rest_mask) == 0) return std::nullopt;
    return Mismatch{.offset_bytes = words * 4, .expected = expected, .seen = seen};
}

std::optional<Mismatch> compare_texels(const Pattern& pattern, std::span<const std::byte> bytes) {
    const std::uint64_t texel = pattern.texel_bytes;
    const auto expected_at = [&](std::uint64_t offset) {
        std::array<std::byte, 4> expected{};
        for (std::uint64_t i = 0; i < 4; ++i) expected[i] = pattern.texel[(offset + i) % texel];
        return load_word(expected.data(), 4);
    };
    const auto mask_of = [&](std::uint64_t offset) {
        const std::uint64_t rest = bytes.size() - offset;
        return rest >= 4 ? pattern.compare_mask : ((1u << (8 * rest)) - 1u) & pattern.compare_mask;
    };
    // With every bit compared, equal to the texel and then to itself one texel on is equal throughout.
    if (pattern.compare_mask == ~0u) {
        const std::size_t first = std::min<std::size_t>(bytes.size(), texel);
        if (std::memcmp(bytes.data(), pattern.texel.data(), first) == 0 &&
            (bytes.size() <= texel || std::memcmp(bytes.data(), bytes.data() + texel, bytes.size() - texel) == 0))
            return std::nullopt;
    }
    for (std::uint64_t offset = 0; offset < bytes.size(); offset += 4) {
        const std::uint32_t seen = load_word(bytes.data() + offset, bytes.size() - offset);
        const std::uint32_t expected = expected_at(offset);
        if (((seen ^ expected) & mask_of(offset)) != 0)
            return Mismatch{.offset_bytes = offset, .expected = expected & mask_of(offset), .seen = seen};
    }
    return std::nullopt;
}

Pattern repeat(std::span<const std::byte> texel) {
    Pattern pattern{.shape = PatternShape::kRepeat, .texel_bytes = static_cast<std::uint32_t>(texel.size())};
    std::ranges::copy(texel, pattern.texel.begin());
    return pattern;
}

// Gathers the channels of one texel, lowest bits first.
class TexelWriter {
public:
    void put(std::uint32_t value, std::uint32_t bits) {
        for (std::uint32_t i = 0; i < bits; ++i, ++position_) {
            if ((value >> i & 1u) != 0) bytes_[position_ / 8] |= static_cast<std::byte>(1u << position_ % 8);
        }
    }
    [[nodiscard]] Pattern pattern() const { return repeat(std::span(bytes_).first(position_ / 8)); }

private:
    std::array<std::byte, 16> bytes_{};
    std::size_t position_ = 0;
};

std::uint32_t float_bits(float value) {
    return std::bit_cast<std::uint32_t>(value);
}

// A channel of `bits` bits, normalized: the float that converts to exactly `value`.
std::uint32_t unorm_bits(std::uint32_t value, std::uint32_t bits) {
    return float_bits(static_cast<float>(value) / static_cast<float>((1u << bits) - 1u));
}

// Powers of two from 2^-8 to 2^7: exact in every floating-point format, with an exponent of bias 15 there.
std::uint32_t power_exponent(std::uint32_t base, std::uint32_t channel) {
    return 7 + (base >> (channel * 5) & 15u);
}

ClearPattern unorm_clear(std::uint32_t base, std::span<const std::uint32_t> bits,
                         std::span<const std::uint32_t> texel_order) {
    ClearPattern clear;
    std::array<std::uint32_t, 4> values{};
    for (std::uint32_t channel = 0; channel < bits.size(); ++channel) {
        values[channel] = base >> (channel * 7) & ((1u << bits[channel]) - 1u);
        clear.value[channel] = unorm_bits(values[channel], bits[channel]);
    }
    TexelWriter texel;
    for (const std::uint32_t channel : texel_order) texel.put(values[channel], bits[channel]);
    clear.colour = texel.pattern();
    return clear;
}

ClearPattern float_clear(std::uint32_t base, std::uint32_t channels, std::span<const std::uint32_t> mantissa_bits) {
    ClearPattern clear;
    TexelWriter texel;
    for (std::uint32_t channel = 0; channel < channels; ++channel) {
        const std::uint32_t exponent = power_exponent(base, channel);
        clear.value[channel] = (exponent - 15 + 127) << 23;
        // 5 exponent bits, and a sign bit where the channel is 16 bits wide.
        texel.put(exponent << mantissa_bits[channel], mantissa_bits[channel] == 10 ? 16 : 5 + mantissa_bits[channel]);
    }
    clear.colour = texel.pattern();
    return clear;
}

ClearPattern word_clear(std::uint32_t base, std::uint32_t channels, bool is_float) {
    ClearPattern clear;
    TexelWriter texel;
    for (std::uint32_t channel = 0; channel < channels; ++channel) {
        const std::uint32_t mixed = base + channel * kStep;
        clear.value[channel] = is_float ? 0x3F000000u | (mixed & 0x007FFFFFu) : mixed;
        texel.put(clear.value[channel], 32);
    }
    clear.colour = texel.pattern();
    return clear;
}

// Depth conversions round in ways of their own, so only the ends of the range are exact in every format.
ClearPattern depth_clear(model::Format format, std::uint32_t base) {
    const bool far = (base & 1u) != 0;
    ClearPattern clear;
    clear.value = {float_bits(far ? 1.0f : 0.0f), base >> 8 & 0xFFu, 0, 0};
    TexelWriter depth;
    if (format == model::Format::kD16Unorm) {
        depth.put(far ? 0xFFFFu : 0, 16);
    } else if (format == model::Format::kD24UnormS8Uint) {
        depth.put(far ? 0xFFFFFFu : 0, 32);
    } else {
        depth.put(clear.value[0], 32);
    }
    clear.colour = depth.pattern();
    if (format == model::Format::kD24UnormS8Uint) clear.colour.compare_mask = 0x00FFFFFFu;
    TexelWriter stencil;
    stencil.put(clear.value[1], 8);
    clear.stencil = stencil.pattern();
    return clear;
}

}  // namespace

std::uint32_t pattern_base(std::uint64_t seed, std::uint64_t serial, std::uint32_t salt) {
    std::uint64_t mixed = (seed ^ (serial * 0x9E3779B97F4A7C15ull)) + salt * 0xD1B54A32D192ED03ull;
    mixed = (mixed ^ (mixed >> 32)) * 0xD6E8FEB86659FD93ull;
    mixed = (mixed ^ (mixed >> 32)) * 0xD6E8FEB86659FD93ull;
    return static_cast<std::uint32_t>(mixed ^ (mixed >> 32));
}

Pattern shifted(const Pattern& pattern, std::uint64_t offset_bytes) {
    Pattern moved = pattern;
    if (pattern.shape == PatternShape::kStream) {
        moved.base += static_cast<std::uint32_t>(offset_bytes / 4) * kStep;
    } else {
        std::rotate(moved.texel.begin(),
                    moved.texel.begin() + static_cast<std::ptrdiff_t>(offset_bytes % moved.texel_bytes),
                    moved.texel.begin() + moved.texel_bytes);
    }
    return moved;
}

void write_pattern(const Pattern& pattern, std::span<std::byte> bytes) {
    if (pattern.shape == PatternShape::kRepeat) {
        for (std::size_t i = 0; i < bytes.size(); ++i) bytes[i] = pattern.texel[i % pattern.texel_bytes];
        return;
    }
    const std::uint64_t words = bytes.size() / 4;
    for (std::uint64_t i = 0; i < words; ++i) {
        const std::uint32_t word = stream_word(pattern, i);
        std::memcpy(bytes.data() + i * 4, &word, 4);
    }
    const std::uint32_t last = stream_word(pattern, words);
    std::memcpy(bytes.data() + words * 4, &last, bytes.size() - words * 4);
}

std::optional<Mismatch> compare_pattern(const Pattern& pattern, std::span<const std::byte> bytes) {
    if (bytes.empty()) return std::nullopt;
    return pattern.shape == PatternShape::kStream ? compare_stream(pattern, bytes) : compare_texels(pattern, bytes);
}

Pattern fill_pattern(std::uint32_t word) {
    std::array<std::byte, 4> bytes{};
    std::memcpy(bytes.data(), &word, 4);
    return repeat(bytes);
}

Pattern copy_pattern(model::Format format, bool stencil_aspect, std::uint32_t base) {
    using model::Format;
    Pattern pattern{.base = base};
    if (stencil_aspect) return pattern;
    switch (format) {
        case Format::kD32Sfloat:
        case Format::kD32SfloatS8Uint:  // in [0.5, 1)
            pattern.keep_mask = 0x007FFFFFu;
            pattern.set_mask = 0x3F000000u;
            break;
        case Format::kD24UnormS8Uint:
            pattern.keep_mask = 0x00FFFFFFu;
            pattern.compare_mask = 0x00FFFFFFu;
            break;
        case Format::kR16Sfloat:
        case Format::kR16G16Sfloat:
        case Format::kR16G16B16A16Sfloat:  // positive, normal, finite
            pattern.keep_mask = 0x3BFF3BFFu;
            pattern.set_mask = 0x04000400u;
            break;
        case Format::kR32Sfloat:
        case Format::kR32G32Sfloat:
        case Format::kR32G32B32A32Sfloat:
            pattern.keep_mask = 0x3F7FFFFFu;
            pattern.set_mask = 0x00800000u;
            break;
        case Format::kB10G11R11UfloatPack32:  // every channel normal and finite
            pattern.keep_mask = ~(1u << 10 | 1u << 21 | 1u << 31);
            pattern.set_mask = 1u << 6 | 1u << 17 | 1u << 27;
            break;
        default: break;
    }
    return pattern;
}

std::optional<ClearPattern> clear_pattern(model::Format format, std::uint32_t base) {
    using model::Format;
    static constexpr std::array<std::uint32_t, 4> kRgba{0, 1, 2, 3};
    static constexpr std::array<std::uint32_t, 4> kBgra{2, 1, 0, 3};
    static constexpr std::array<std::uint32_t, 4> kEight{8, 8, 8, 8};
    static constexpr std::array<std::uint32_t, 4> kTenTenTenTwo{10, 10, 10, 2};
    static constexpr std::array<std::uint32_t, 4> kHalf{10, 10, 10, 10};
    static constexpr std::array<std::uint32_t, 3> kElevenElevenTen{6, 6, 5};
    switch (format) {
        case Format::kR8Unorm: return unorm_clear(base, std::span(kEight).first(1), std::span(kRgba).first(1));
        case Format::kR8G8Unorm: return unorm_clear(base, std::span(kEight).first(2), std::span(kRgba).first(2));
        case Format::kR8G8B8A8Unorm: return unorm_clear(base, kEight, kRgba);
        case Format::kB8G8R8A8Unorm: return unorm_clear(base, kEight, kBgra);
        case Format::kA2B10G10R10UnormPack32: return unorm_clear(base, kTenTenTenTwo, kRgba);
        case Format::kB10G11R11UfloatPack32: return float_clear(base, 3, kElevenElevenTen);
        case Format::kR16Sfloat: return float_clear(base, 1, kHalf);
        case Format::kR16G16Sfloat: return float_clear(base, 2, kHalf);
        case Format::kR16G16B16A16Sfloat: return float_clear(base, 4, kHalf);
        case Format::kR32Uint: return word_clear(base, 1, false);
        case Format::kR32Sfloat: return word_clear(base, 1, true);
        case Format::kR32G32Sfloat: return word_clear(base, 2, true);
        case Format::kR32G32B32A32Sfloat: return word_clear(base, 4, true);
        case Format::kD16Unorm:
        case Format::kD24UnormS8Uint:
        case Format::kD32Sfloat:
        case Format::kD32SfloatS8Uint: return depth_clear(format, base);
        // The sRGB curve rounds in ways of its own; blocks cannot be cleared.
        default: return std::nullopt;
    }
}

}  // namespace heapwright::validate
