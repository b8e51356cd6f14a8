#include "heapwright/workload/draw.hpp"

#include <algorithm>
#include <bit>

#include "heapwright/core/checked.hpp"

namespace heapwright::workload {

std::uint64_t draw(model::SizeDistribution distribution, std::uint64_t smallest, std::uint64_t largest,
                   Random& random) {
    if (distribution == model::SizeDistribution::kUniform) return random.between(smallest, largest);
    const auto first_octave = static_cast<std::uint64_t>(std::bit_width(smallest)) - 1;
    const auto last_octave = static_cast<std::uint64_t>(std::bit_width(largest)) - 1;
    if (distribution == model::SizeDistribution::kPowersOfTwo) {
        const std::uint64_t first = std::has_single_bit(smallest) ? first_octave : first_octave + 1;
        return std::uint64_t{1} << random.between(first, last_octave);
    }
    const std::uint64_t octave = random.between(first_octave, last_octave);
    const std::uint64_t low = std::max(smallest, std::uint64_t{1} << octave);
    return random.between(low, std::min(largest, (std::uint64_t{2} << octave) - 1));
}

model::ImageDescription draw_image(const model::ImageHint& hint, Random& random) {
    std::uint32_t width = 0;
    std::uint32_t height = 0;
    if (hint.extents.empty()) {
        width = static_cast<std::uint32_t>(draw(hint.distribution, hint.smallest_side, hint.largest_side, random));
        height = static_cast<std::uint32_t>(draw(hint.distribution, hint.smallest_side, hint.largest_side, random));
    } else {
        const auto& extent = hint.extents[static_cast<std::size_t>(random.below(hint.extents.size()))];
        width = extent[0];
        height = extent[1];
    }
    return {.format = hint.format,
            .tiling = hint.tiling,
            .usage = hint.usage,
            .width = width,
            .height = height,
            .mip_levels = hint.full_mips ? model::full_mip_chain(width, height) : 1,
            .array_layers = hint.array_layers,
            .samples = hint.samples};
}

model::BufferDescription draw_buffer(const model::BufferHint& hint, Random& random) {
    return {.size_bytes = align_up(draw(hint.distribution, hint.smallest_bytes, hint.largest_bytes, random), 4),
            .usage = hint.usage};
}

std::uint64_t packed_size_bytes(const model::ResourceDescription& resource) {
    if (const auto* buffer = std::get_if<model::BufferDescription>(&resource)) return buffer->size_bytes;
    return model::packed_size_bytes(std::get<model::ImageDescription>(resource));
}

}  // namespace heapwright::workload
