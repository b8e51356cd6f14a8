#include "heapwright/model/sweep.hpp"

#include <algorithm>

namespace heapwright::model {

std::array<std::uint32_t, 2> ImageGrid::point(std::size_t index) const {
    const std::size_t product = widths.size() * heights.size();
    if (index >= product) return extra[index - product];
    return {widths[index / heights.size()], heights[index % heights.size()]};
}

std::optional<std::size_t> ImageGrid::find(std::uint32_t width, std::uint32_t height) const {
    const auto column = std::find(widths.begin(), widths.end(), width);
    const auto row = std::find(heights.begin(), heights.end(), height);
    if (column != widths.end() && row != heights.end()) {
        return static_cast<std::size_t>(column - widths.begin()) * heights.size() +
               static_cast<std::size_t>(row - heights.begin());
    }
    const auto other = std::find(extra.begin(), extra.end(), std::array<std::uint32_t, 2>{width, height});
    if (other == extra.end()) return std::nullopt;
    return widths.size() * heights.size() + static_cast<std::size_t>(other - extra.begin());
}

ImageDescription ImageCase::description(std::uint32_t width, std::uint32_t height) const {
    const std::uint32_t slices = dimension == ImageDimension::k3d ? depth.value_or(std::min(width, height)) : 1;
    const std::uint32_t full = full_mip_chain(width, height, slices);
    return {.format = format,
            .tiling = tiling,
            .dimension = dimension,
            .usage = usage,
            .width = width,
            .height = height,
            .depth = slices,
            .mip_levels = full_mips ? full : std::min(full, mip_levels.value_or(1)),
            .array_layers = array_layers,
            .samples = samples,
            .flags = flags};
}

std::optional<MemoryRequirements> find_requirements(const ImageSweep& sweep, const ImageDescription& image) {
    for (const ImagePoint& point : sweep.points) {
        if (point.description == image) return point.requirements;
    }
    const auto index = sweep.grid.find(image.width, image.height);
    if (!index) return std::nullopt;
    for (const ImageCase& entry : sweep.cases) {
        if (entry.table && entry.description(image.width, image.height) == image) {
            return answer_at(sweep.requirements, sweep.tables[*entry.table], *index);
        }
    }
    return std::nullopt;
}

std::optional<MemoryRequirements> find_requirements(const BufferSweep& sweep, const BufferDescription& buffer) {
    for (const BufferPoint& point : sweep.points) {
        if (point.description == buffer) return point.requirements;
    }
    const auto size = std::lower_bound(sweep.sizes.begin(), sweep.sizes.end(), buffer.size_bytes);
    if (size == sweep.sizes.end() || *size != buffer.size_bytes) return std::nullopt;
    for (const BufferCase& entry : sweep.cases) {
        if (entry.table && entry.usage == buffer.usage) {
            return answer_at(sweep.requirements, sweep.tables[*entry.table],
                             static_cast<std::size_t>(size - sweep.sizes.begin()));
        }
    }
    return std::nullopt;
}

}  // namespace heapwright::model
