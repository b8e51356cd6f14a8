#include "heapwright/model/resource.hpp"

#include <algorithm>
#include <bit>

#include "heapwright/core/checked.hpp"

namespace heapwright::model {

std::uint32_t full_mip_chain(std::uint32_t width, std::uint32_t height, std::uint32_t depth) {
    return static_cast<std::uint32_t>(std::bit_width(std::max({width, height, depth})));
}

std::uint64_t packed_size_bytes(const ImageDescription& image) {
    const FormatInfo& format = info(image.format);
    std::uint64_t total = 0;
    for (std::uint32_t level = 0; level < image.mip_levels; ++level) {
        const std::uint64_t width = std::max(1u, image.width >> level);
        const std::uint64_t height = std::max(1u, image.height >> level);
        const std::uint64_t depth = std::max(1u, image.depth >> level);
        total +=
            div_ceil(width, format.block_width) * div_ceil(height, format.block_height) * depth * format.block_bytes;
    }
    return total * image.array_layers * image.samples;
}

ResourceClass resource_class(const ResourceDescription& resource, bool separate_render_targets) {
    const auto* image = std::get_if<ImageDescription>(&resource);
    if (image == nullptr || image->tiling == ImageTiling::kLinear) return ResourceClass::kLinear;
    constexpr Flags kTargets = image_usage::kColorAttachment | image_usage::kDepthStencilAttachment;
    if (separate_render_targets && (image->usage & kTargets) != 0) return ResourceClass::kOptimalRenderTarget;
    return ResourceClass::kOptimal;
}

}  // namespace heapwright::model
