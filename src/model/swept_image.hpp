// What a driver asks for an image between two swept ones, from its answers at swept ones. One rule for the policy,
// which predicts with it, and for the replay, which acts by it. Sizes in bytes, tiles in blocks of the format (texels
// where it has none). Pure and thread-safe; no errors.
#pragma once

#include <cstdint>
#include <limits>
#include <optional>

#include "heapwright/model/resource.hpp"
#include "heapwright/model/sweep.hpp"

namespace heapwright::model {

// How a driver rounds images up: every mip level is stored in whole tiles of a power of two of blocks each way.
struct TileRule {
    std::uint32_t width = 1;
    std::uint32_t height = 1;

    // The bytes of all levels, layers and samples; those of packed_size_bytes() where tiles are single blocks.
    [[nodiscard]] std::uint64_t bytes(const ImageDescription& image) const;
};

// The rule whose sizes come nearest to the answers, the smallest tile among equals; single blocks where the case has no
// answers.
[[nodiscard]] TileRule fit_tiles(const ImageSweep& sweep, const ImageCase& entry);

// The same of the single images of this format, tiling, dimension, usage, samples and flags.
[[nodiscard]] TileRule fit_tiles(const ImageSweep& sweep, const ImageDescription& like);

// From which size on a driver wants an image to have memory of its own.
struct DedicatedSizes {
    std::uint64_t largest_without = 0;
    std::uint64_t smallest_with = std::numeric_limits<std::uint64_t>::max();
    Dedicated wanted = Dedicated::kNone;  // from there on

    // Nothing where the answers know no such size. Between the two that bound it, it is taken to be a power of two
    // where one lies there.
    [[nodiscard]] std::optional<Dedicated> at(std::uint64_t size_bytes) const;
};

// From all answers for images of this format, tiling, dimension, usage, samples and flags.
[[nodiscard]] DedicatedSizes fit_dedicated(const ImageSweep& sweep, const ImageDescription& like);

// `answer` for `answered`, changed for `image`: by the bytes in whole tiles, never less than the packed ones.
[[nodiscard]] MemoryRequirements between_swept_images(MemoryRequirements answer, const ImageDescription& answered,
                                                      const ImageDescription& image, const TileRule& tiles,
                                                      const DedicatedSizes& dedicated);

}  // namespace heapwright::model
