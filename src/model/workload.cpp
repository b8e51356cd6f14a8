#include "heapwright/model/workload.hpp"

#include <algorithm>

namespace heapwright::model {

std::uint32_t mip_levels_of(const ImageHint& hint, std::uint32_t width, std::uint32_t height) {
    if (!hint.full_mips && !hint.mip_levels) return 1;
    const std::uint32_t full = full_mip_chain(width, height, hint.depth.value_or(1));
    return hint.full_mips ? full : std::min(full, *hint.mip_levels);
}

ImageDescription describe(const ImageHint& hint, std::uint32_t width, std::uint32_t height) {
    return {.format = hint.format,
            .tiling = hint.tiling,
            .dimension = hint.depth ? ImageDimension::k3d : ImageDimension::k2d,
            .usage = hint.usage,
            .width = width,
            .height = height,
            .depth = hint.depth.value_or(1),
            .mip_levels = mip_levels_of(hint, width, height),
            .array_layers = hint.array_layers,
            .samples = hint.samples,
            .flags = hint.flags};
}

}  // namespace heapwright::model
