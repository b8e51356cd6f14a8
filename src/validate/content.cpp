#include "validate/content.hpp"

#include <algorithm>

#include "core/checked.hpp"

namespace heapwright::validate {
namespace {

constexpr std::uint64_t kSmallBufferBytes = 4096;    // all of it written by the host
constexpr std::uint64_t kMediumBufferBytes = 65536;  // one in four written by the host
constexpr std::uint64_t kBufferEndBytes = 512;       // of larger ones, the first and the last
constexpr std::uint64_t kSmallImageBytes = 16384;
constexpr std::uint64_t kMediumImageBytes = 1 << 18;  // one in four written by the host
constexpr std::uint64_t kDepthImageBytes = 1 << 20;   // depth clears tell two values apart only

enum Salt : std::uint32_t { kFill, kHead, kTail, kImage, kFirstSubresource };

bool can_be_copied(const model::ImageDescription& image) {
    constexpr model::Flags kBoth = model::image_usage::kTransferSrc | model::image_usage::kTransferDst;
    const model::FormatInfo& format = model::info(image.format);
    // Planes have copies of their own, a copy gives the unused bits of X8_D24 no value, and of combined formats those
    // whose depth is copied as 32 bits are known here.
    const bool has_known_bytes = !format.is_multi_planar() && (format.has_depth || !format.has_stencil) &&
                                 image.format != model::Format::kX8D24UnormPack32 &&
                                 image.format != model::Format::kD16UnormS8Uint;
    return (image.usage & kBoth) == kBoth && has_known_bytes;
}

bool can_be_copied(const model::BufferDescription& buffer) {
    constexpr model::Flags kBoth = model::buffer_usage::kTransferSrc | model::buffer_usage::kTransferDst;
    return (buffer.usage & kBoth) == kBoth;
}

Content buffer_content(const model::BufferDescription& buffer, std::uint64_t seed, std::uint64_t serial) {
    Content content;
    if (!can_be_copied(buffer)) {
        content.is_verifiable = false;
        return content;
    }
    const std::uint64_t size = buffer.size_bytes;
    const std::uint32_t base = pattern_base(seed, serial, kFill);
    const Pattern head{.base = pattern_base(seed, serial, kHead)};
    if (size <= kSmallBufferBytes || (size <= kMediumBufferBytes && base % 4 == 0)) {
        content.parts.push_back({.size_bytes = size, .pattern = head});
        return content;
    }
    const std::uint64_t tail = align_down(size - kBufferEndBytes, 4);
    content.parts.push_back({.size_bytes = kBufferEndBytes, .pattern = head});
    content.parts.push_back(
        {.offset_bytes = kBufferEndBytes, .size_bytes = tail - kBufferEndBytes, .pattern = fill_pattern(base)});
    content.parts.push_back({.offset_bytes = tail,
                             .size_bytes = size - tail,
                             .pattern = Pattern{.base = pattern_base(seed, serial, kTail)}});
    return content;
}

std::uint64_t texel_block_bytes(const model::FormatInfo& format, bool stencil_aspect) {
    if (stencil_aspect) return 1;
    // A combined format's depth is copied as 32 bits.
    return format.has_depth && format.has_stencil ? 4 : format.block_bytes;
}

std::uint64_t subresource_bytes(const model::ImageDescription& image, std::uint32_t mip_level, bool stencil_aspect) {
    const model::FormatInfo& format = model::info(image.format);
    const auto side = [&](std::uint32_t length) { return std::max(length >> mip_level, 1u); };
    return div_ceil(side(image.width), format.block_width) * div_ceil(side(image.height), format.block_height) *
           side(image.depth) * texel_block_bytes(format, stencil_aspect);
}

Content image_content(const model::ImageDescription& image, std::uint64_t seed, std::uint64_t serial,
                      const CopyLimits& limits) {
    const model::FormatInfo& format = model::info(image.format);
    const std::uint32_t base = pattern_base(seed, serial, kImage);
    const auto clear = clear_pattern(image.format, base);
    const std::uint64_t packed = model::packed_size_bytes(image);
    const std::uint64_t largest_part = subresource_bytes(image, 0, false);

    Content content;
    if (!can_be_copied(image)) {
        content.is_verifiable = false;
        return content;
    }
    const bool prefers_copy = packed <= kSmallImageBytes || (packed <= kMediumImageBytes && base % 4 == 0) ||
                              (format.is_depth_stencil() && packed <= kDepthImageBytes);
    const bool can_copy = largest_part <= limits.largest_upload_bytes && image.samples == 1;
    if (clear && !(prefers_copy && can_copy)) content.clear = clear;
    if (image.samples > 1 || largest_part > limits.largest_readback_bytes || (!content.clear && !can_copy)) {
        content.is_verifiable = false;
        return content;
    }
    std::uint32_t salt = kFirstSubresource;
    for (std::uint32_t layer = 0; layer < image.array_layers; ++layer) {
        for (std::uint32_t mip = 0; mip < image.mip_levels; ++mip) {
            for (const bool stencil : {false, true}) {
                if (stencil && !(format.has_stencil && limits.stencil)) continue;
                const Pattern pattern = content.clear
                                            ? (stencil ? clear->stencil : clear->colour)
                                            : copy_pattern(image.format, stencil, pattern_base(seed, serial, salt++));
                content.parts.push_back(
                    {.subresource = {.mip_level = mip, .array_layer = layer, .stencil_aspect = stencil},
                     .size_bytes = subresource_bytes(image, mip, stencil),
                     .pattern = pattern});
            }
        }
    }
    return content;
}

}  // namespace

Content content_of(const model::ResourceDescription& description, std::uint64_t seed, std::uint64_t serial,
                   const CopyLimits& limits) {
    if (const auto* image = std::get_if<model::ImageDescription>(&description))
        return image_content(*image, seed, serial, limits);
    return buffer_content(std::get<model::BufferDescription>(description), seed, serial);
}

}  // namespace heapwright::validate
