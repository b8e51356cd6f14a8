#include "d3d12/resource_description.hpp"

#include <algorithm>

#include <fmt/format.h>

#include "core/checked.hpp"

namespace heapwright::d3d12 {
namespace {

using model::Flags;
using model::Format;
namespace image_usage = model::image_usage;

constexpr Flags kShaderReads = image_usage::kSampled | image_usage::kInputAttachment | image_usage::kStorage;

DXGI_FORMAT typeless_depth(Format format) {
    switch (format) {
        case Format::kD16Unorm: return DXGI_FORMAT_R16_TYPELESS;
        case Format::kD24UnormS8Uint: return DXGI_FORMAT_R24G8_TYPELESS;
        case Format::kD32SfloatS8Uint: return DXGI_FORMAT_R32G8X24_TYPELESS;
        default: return DXGI_FORMAT_R32_TYPELESS;
    }
}

D3D12_RESOURCE_FLAGS flags_of(const model::ImageDescription& image) {
    D3D12_RESOURCE_FLAGS flags = D3D12_RESOURCE_FLAG_NONE;
    if ((image.usage & image_usage::kColorAttachment) != 0) flags |= D3D12_RESOURCE_FLAG_ALLOW_RENDER_TARGET;
    if ((image.usage & image_usage::kStorage) != 0) flags |= D3D12_RESOURCE_FLAG_ALLOW_UNORDERED_ACCESS;
    if ((image.usage & image_usage::kDepthStencilAttachment) != 0) {
        flags |= D3D12_RESOURCE_FLAG_ALLOW_DEPTH_STENCIL;
        if ((image.usage & kShaderReads) == 0) flags |= D3D12_RESOURCE_FLAG_DENY_SHADER_RESOURCE;
    }
    return flags;
}

std::string impossible(const model::ImageDescription& image) {
    const model::FormatInfo& format = model::info(image.format);
    const bool volume = image.dimension == model::ImageDimension::k3d;
    if (format.dxgi_format == 0) return fmt::format("DXGI has no {} format", format.name);
    if (image.tiling == model::ImageTiling::kLinear) {
        return "Direct3D 12 has no linear textures of one adapter (ROW_MAJOR is for sharing between adapters)";
    }
    const bool target = (image.usage & (image_usage::kColorAttachment | image_usage::kDepthStencilAttachment)) != 0;
    if (image.samples > 1 && !target) return "a multisampled texture is a render target or a depth stencil";
    if (image.samples > 1 && (image.usage & image_usage::kStorage) != 0) {
        return "a multisampled texture has no unordered access";
    }
    if (image.samples > 1 && image.mip_levels > 1) return "a multisampled texture has one mip level";
    if (volume && (image.array_layers > 1 || image.samples > 1)) return "a 3D texture has one layer and one sample";
    if (volume && format.is_depth_stencil()) return "a 3D texture has no depth format";
    return {};
}

}  // namespace

TextureDescription texture_description(const model::ImageDescription& image) {
    TextureDescription texture{.not_supported = impossible(image)};
    const model::FormatInfo& format = model::info(image.format);
    const bool volume = image.dimension == model::ImageDimension::k3d;
    const bool depth_view = (image.usage & image_usage::kDepthStencilAttachment) != 0;
    const bool typeless = format.is_depth_stencil() && (image.usage & kShaderReads) != 0 && depth_view;
    texture.desc.Dimension = volume ? D3D12_RESOURCE_DIMENSION_TEXTURE3D : D3D12_RESOURCE_DIMENSION_TEXTURE2D;
    texture.desc.Width = image.width;
    texture.desc.Height = image.height;
    texture.desc.DepthOrArraySize = static_cast<UINT16>(volume ? image.depth : image.array_layers);
    texture.desc.MipLevels = static_cast<UINT16>(image.mip_levels);
    texture.desc.Format = typeless ? typeless_depth(image.format) : static_cast<DXGI_FORMAT>(format.dxgi_format);
    texture.desc.SampleDesc.Count = image.samples;
    texture.desc.Layout = D3D12_TEXTURE_LAYOUT_UNKNOWN;
    texture.desc.Flags = flags_of(image);
    return texture;
}

D3D12_RESOURCE_DESC buffer_description(const model::BufferDescription& buffer) {
    constexpr Flags kWritten = model::buffer_usage::kStorage | model::buffer_usage::kStorageTexel;
    D3D12_RESOURCE_DESC desc{};
    desc.Dimension = D3D12_RESOURCE_DIMENSION_BUFFER;
    desc.Width = buffer.size_bytes;
    desc.Height = 1;
    desc.DepthOrArraySize = 1;
    desc.MipLevels = 1;
    desc.Format = DXGI_FORMAT_UNKNOWN;
    desc.SampleDesc.Count = 1;
    desc.Layout = D3D12_TEXTURE_LAYOUT_ROW_MAJOR;
    if ((buffer.usage & kWritten) != 0) desc.Flags = D3D12_RESOURCE_FLAG_ALLOW_UNORDERED_ACCESS;
    return desc;
}

DXGI_FORMAT view_format(Format format) {
    return static_cast<DXGI_FORMAT>(model::info(format).dxgi_format);
}

DXGI_FORMAT footprint_format(Format format, bool stencil_plane) {
    if (stencil_plane) return DXGI_FORMAT_R8_TYPELESS;
    switch (format) {
        case Format::kD16Unorm: return DXGI_FORMAT_R16_TYPELESS;
        case Format::kD32Sfloat:
        case Format::kD24UnormS8Uint:
        case Format::kD32SfloatS8Uint: return DXGI_FORMAT_R32_TYPELESS;
        default: return view_format(format);
    }
}

Extent mip_extent(const model::ImageDescription& image, std::uint32_t mip_level) {
    const auto side = [mip_level](std::uint32_t texels) { return std::max(1u, texels >> mip_level); };
    return {.width = side(image.width), .height = side(image.height), .depth = side(image.depth)};
}

PlaneLayout plane_layout(const model::ImageDescription& image, std::uint32_t mip_level, bool stencil_plane) {
    const model::FormatInfo& format = model::info(image.format);
    const Extent extent = mip_extent(image, mip_level);
    std::uint64_t block_bytes = format.block_bytes;
    // In a buffer a combined format is its depth, four bytes, and its stencil, apart.
    if (format.has_stencil) block_bytes = stencil_plane ? 1 : 4;
    return {.row_bytes = div_ceil(extent.width, format.block_width) * block_bytes,
            .rows = static_cast<std::uint32_t>(div_ceil(extent.height, format.block_height)),
            .slices = extent.depth};
}

std::uint32_t subresource_index(const model::ImageDescription& image, std::uint32_t mip_level,
                                std::uint32_t array_layer, bool stencil_plane) {
    return mip_level + (array_layer + (stencil_plane ? image.array_layers : 0)) * image.mip_levels;
}

}  // namespace heapwright::d3d12
