// What the examples have in common: pieces of data of one size, and a draw whose picture is kept.
#pragma once

#include <cstdint>
#include <vector>

#include "engines/conductor.hpp"

namespace heapwright::engines {

// On the simulated clock.
inline constexpr std::uint64_t kCopyNs = 20'000;
inline constexpr std::uint64_t kComputeNs = 60'000;
inline constexpr std::uint64_t kDrawNs = 40'000;

[[nodiscard]] inline device::ResourceId id(ResourceIndex resource) {
    return {resource.value};
}

// A piece of a buffer.
struct Piece {
    ResourceIndex buffer;
    std::uint64_t offset_bytes = 0;
};

[[nodiscard]] inline device::Work copy(Piece from, Piece to, std::uint64_t size_bytes) {
    return device::CopyBuffer{id(from.buffer), id(to.buffer), from.offset_bytes, to.offset_bytes, size_bytes};
}

[[nodiscard]] inline device::Work transform(Piece from, Piece to, std::uint64_t size_bytes, std::uint64_t key,
                                            std::uint32_t rounds) {
    return device::TransformBuffer{.source = id(from.buffer),
                                   .destination = id(to.buffer),
                                   .source_offset_bytes = from.offset_bytes,
                                   .destination_offset_bytes = to.offset_bytes,
                                   .size_bytes = size_bytes,
                                   .key = static_cast<std::uint32_t>(key),
                                   .rounds = rounds};
}

// Draws the piece to the image and keeps the picture.
[[nodiscard]] inline std::vector<device::Work> draw(Piece from, ResourceIndex image, Piece picture) {
    return {device::DrawBuffer{.heap = {},
                               .index = image.value,
                               .image = id(image),
                               .source = id(from.buffer),
                               .source_offset_bytes = from.offset_bytes},
            device::CopyImageToBuffer{.image = id(image),
                                      .buffer = id(picture.buffer),
                                      .buffer_offset_bytes = picture.offset_bytes,
                                      .subresource = {}}};
}

}  // namespace heapwright::engines
