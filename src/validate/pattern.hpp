// The bytes that a resource must hold: a pattern of its own, derived from its serial number, in one of two shapes.
//   kStream: the word at position i is ((base + i * step) & keep) | set; every position differs, so that bytes that
//            moved show. Written by the host and copied by the device.
//   kRepeat: one texel or word repeated; the device alone writes it, by a clear or fill.
// `compare_mask` leaves out bits that the API does not define (the upper eight of a copied 24-bit depth).
// Pure; thread-safe. Sizes in bytes.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>

#include "heapwright/model/format.hpp"

namespace heapwright::validate {

enum class PatternShape : std::uint8_t { kStream, kRepeat };

struct Pattern {
    PatternShape shape = PatternShape::kStream;
    std::uint32_t base = 0;
    std::uint32_t keep_mask = ~0u;  // kStream: bits that vary
    std::uint32_t set_mask = 0;     // kStream: bits that are always set
    std::uint32_t compare_mask = ~0u;
    std::array<std::byte, 16> texel{};  // kRepeat
    std::uint32_t texel_bytes = 4;      // kRepeat: 1, 2, 4, 8 or 16
};

// The first word whose bytes differ.
struct Mismatch {
    std::uint64_t offset_bytes = 0;
    std::uint32_t expected = 0;
    std::uint32_t seen = 0;
};

// `salt` tells the parts of one resource apart.
[[nodiscard]] std::uint32_t pattern_base(std::uint64_t seed, std::uint64_t serial, std::uint32_t salt);

void write_pattern(const Pattern& pattern, std::span<std::byte> bytes);
[[nodiscard]] std::optional<Mismatch> compare_pattern(const Pattern& pattern, std::span<const std::byte> bytes);

// The pattern as seen from `offset_bytes` on (a multiple of 4 for a stream).
[[nodiscard]] Pattern shifted(const Pattern& pattern, std::uint64_t offset_bytes);

// A word repeated, as FillBuffer writes it.
[[nodiscard]] Pattern fill_pattern(std::uint32_t word);

// What one copies into an image of this format (its stencil when asked): every bit pattern that the format admits.
[[nodiscard]] Pattern copy_pattern(model::Format format, bool stencil_aspect, std::uint32_t base);

// A clear value and the texel that it must leave; nothing for formats that cannot be cleared exactly.
struct ClearPattern {
    std::array<std::uint32_t, 4> value{};
    Pattern colour;   // or depth
    Pattern stencil;  // combined formats
};
[[nodiscard]] std::optional<ClearPattern> clear_pattern(model::Format format, std::uint32_t base);

}  // namespace heapwright::validate
