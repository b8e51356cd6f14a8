#include "heapwright/model/resource.hpp"

#include <algorithm>
#include <bit>

#include <fmt/format.h>

#include "core/checked.hpp"

namespace heapwright::model {
namespace {

std::string image_text(const ImageDescription& image) {
    std::string text = fmt::format("image {}x{}", image.width, image.height);
    if (image.dimension == ImageDimension::k3d) text += fmt::format("x{}", image.depth);
    text += fmt::format(" {}", info(image.format).name);
    if (image.tiling == ImageTiling::kLinear) text += ", linear";
    if (image.mip_levels > 1) text += fmt::format(", {} mips", image.mip_levels);
    if (image.array_layers > 1) text += fmt::format(", {} layers", image.array_layers);
    if (image.samples > 1) text += fmt::format(", {} samples", image.samples);
    text += ", usage " + flags_text(image.usage, image_usage_names(), "none");
    return image.flags == 0 ? text : text + ", flags " + flags_text(image.flags, image_creation_names());
}

}  // namespace

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

std::string resource_text(const ResourceDescription& resource) {
    if (const auto* image = std::get_if<ImageDescription>(&resource)) return image_text(*image);
    const auto& buffer = std::get<BufferDescription>(resource);
    return fmt::format("buffer of {} bytes, usage {}", buffer.size_bytes,
                       flags_text(buffer.usage, buffer_usage_names(), "none"));
}

ResourceClass resource_class(const ResourceDescription& resource, bool separate_render_targets) {
    const auto* image = std::get_if<ImageDescription>(&resource);
    if (image == nullptr || image->tiling == ImageTiling::kLinear) return ResourceClass::kLinear;
    constexpr Flags kTargets = image_usage::kColorAttachment | image_usage::kDepthStencilAttachment;
    if (separate_render_targets && (image->usage & kTargets) != 0) return ResourceClass::kOptimalRenderTarget;
    return ResourceClass::kOptimal;
}

bool is_transient_attachment(const ResourceDescription& resource) {
    const auto* image = std::get_if<ImageDescription>(&resource);
    return image != nullptr && (image->usage & image_usage::kTransientAttachment) != 0;
}

}  // namespace heapwright::model
