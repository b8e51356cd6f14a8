// DXBC containers, in which Direct3D takes shader bytecode: chunks behind a header with a checksum of the rest.
// Pure. Errors of parse(): kParseError with the offset.
// Source: Direct3D 11.3 functional specification and its published shader headers; the checksum is MD5 with another
// padding of the last block, which runtimes other than vkd3d refuse a container without.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "heapwright/core/result.hpp"

namespace heapwright::d3d12::dxbc {

// Four characters, the first in the lowest byte.
[[nodiscard]] constexpr std::uint32_t tag(const char (&name)[5]) {
    std::uint32_t value = 0;
    for (std::uint32_t i = 0; i < 4; ++i) value |= static_cast<std::uint32_t>(name[i]) << (8 * i);
    return value;
}

struct Chunk {
    std::uint32_t tag = 0;
    std::vector<std::uint32_t> words;

    friend bool operator==(const Chunk&, const Chunk&) = default;
};

using Checksum = std::array<std::uint32_t, 4>;

// Of the bytes behind the checksum of a container's header.
[[nodiscard]] Checksum checksum(std::span<const std::byte> bytes);

[[nodiscard]] std::vector<std::uint32_t> build_container(std::span<const Chunk> chunks);

// The chunks of a container whose header, offsets and checksum are right.
[[nodiscard]] Result<std::vector<Chunk>> parse_container(std::span<const std::uint32_t> container);

}  // namespace heapwright::d3d12::dxbc
