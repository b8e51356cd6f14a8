// How a driver rounds images up, as a rule: every mip level is stored in whole tiles of a power of two of blocks each
// way. Fitted to the answers of one case of a sweep, so that sizes between its points can be told from those next to
// them. Sizes in bytes, tiles in blocks of the format (texels where it has none). Pure and thread-safe; no errors.
#pragma once

#include <cstdint>

#include "heapwright/model/resource.hpp"
#include "heapwright/model/sweep.hpp"

namespace heapwright::policy {

struct TileRule {
    std::uint32_t width = 1;
    std::uint32_t height = 1;

    // The bytes of all levels, layers and samples; those of model::packed_size_bytes() where tiles are single blocks.
    [[nodiscard]] std::uint64_t bytes(const model::ImageDescription& image) const;
};

// The rule whose sizes come nearest to the answers, the smallest tile among equals; single blocks where the case has no
// answers.
[[nodiscard]] TileRule fit_tiles(const model::ImageSweep& sweep, const model::ImageCase& entry);

}  // namespace heapwright::policy
