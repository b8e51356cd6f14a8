#include "probe/hint_points.hpp"

#include <algorithm>

namespace heapwright::probe {
namespace {

// The bounds and the powers of two between them, ascending.
template <class Integer>
std::vector<Integer> representatives(Integer smallest, Integer largest) {
    std::vector<Integer> values{smallest};
    for (Integer power = 1; power < largest; power = static_cast<Integer>(power * 2)) {
        if (power > smallest) values.push_back(power);
        if (power > largest / 2) break;
    }
    if (largest > smallest) values.push_back(largest);
    return values;
}

bool has_point(const model::ImageSweep& sweep, const model::ImageDescription& image) {
    return std::any_of(sweep.points.begin(), sweep.points.end(),
                       [&image](const model::ImagePoint& point) { return point.description == image; });
}

bool has_point(const model::BufferSweep& sweep, const model::BufferDescription& buffer) {
    return std::any_of(sweep.points.begin(), sweep.points.end(),
                       [&buffer](const model::BufferPoint& point) { return point.description == buffer; });
}

}  // namespace

model::ImageCase case_of(const model::ImageHint& hint) {
    return {.format = hint.format,
            .tiling = hint.tiling,
            .dimension = hint.depth ? model::ImageDimension::k3d : model::ImageDimension::k2d,
            .usage = hint.usage,
            .full_mips = hint.full_mips,
            .array_layers = hint.array_layers,
            .samples = hint.samples,
            .table = {},
            .not_supported = {},
            .depth = hint.depth,
            .mip_levels = hint.mip_levels,
            .flags = hint.flags};
}

model::BufferCase case_of(const model::BufferHint& hint) {
    return {.usage = hint.usage, .table = {}, .not_supported = {}};
}

std::vector<Extent> points_of(const model::ImageHint& hint) {
    std::vector<Extent> extents = hint.extents;
    if (extents.empty()) {
        const std::vector<std::uint32_t> sides = representatives(hint.smallest_side, hint.largest_side);
        for (const std::uint32_t width : sides) {
            for (const std::uint32_t height : sides) extents.push_back({width, height});
        }
    }
    std::sort(extents.begin(), extents.end());
    extents.erase(std::unique(extents.begin(), extents.end()), extents.end());
    return extents;
}

std::vector<std::uint64_t> points_of(const model::BufferHint& hint) {
    return representatives(hint.smallest_bytes, hint.largest_bytes);
}

bool answers(const model::ImageSweep& sweep, const model::ImageDescription& image) {
    return has_point(sweep, image) || find_requirements(sweep, image);
}

bool answers(const model::BufferSweep& sweep, const model::BufferDescription& buffer) {
    return has_point(sweep, buffer) || find_requirements(sweep, buffer);
}

}  // namespace heapwright::probe
