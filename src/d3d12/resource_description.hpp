// The documents' descriptions as D3D12_RESOURCE_DESC. Pure.
//
// A usage becomes flags: COLOR_ATTACHMENT allows a render target, DEPTH_STENCIL_ATTACHMENT a depth stencil, STORAGE
// unordered access. Direct3D 12 has no transient attachments, so that bit changes nothing. A depth texture that is
// sampled has the typeless format of its family, as its views ask for; one that is not denies shader resource views.
#pragma once

#include <cstdint>
#include <string>

#include "d3d12/api.hpp"
#include "heapwright/model/resource.hpp"

namespace heapwright::d3d12 {

// Alignment 0. `not_supported` says why there is no such texture in Direct3D 12 at all; empty otherwise.
struct TextureDescription {
    D3D12_RESOURCE_DESC desc{};
    std::string not_supported;
};

[[nodiscard]] TextureDescription texture_description(const model::ImageDescription& image);
[[nodiscard]] D3D12_RESOURCE_DESC buffer_description(const model::BufferDescription& buffer);

// The formats of a render target or depth stencil view, and of a copy's footprint of one plane.
[[nodiscard]] DXGI_FORMAT view_format(model::Format format);
[[nodiscard]] DXGI_FORMAT footprint_format(model::Format format, bool stencil_plane);

// Extent of a mip level in texels.
struct Extent {
    std::uint32_t width = 1;
    std::uint32_t height = 1;
    std::uint32_t depth = 1;
};
[[nodiscard]] Extent mip_extent(const model::ImageDescription& image, std::uint32_t mip_level);

// One subresource of a plane in a buffer: rows of blocks, slices of rows.
struct PlaneLayout {
    std::uint64_t row_bytes = 0;  // tightly packed
    std::uint32_t rows = 0;       // of one slice
    std::uint32_t slices = 1;

    [[nodiscard]] std::uint64_t packed_bytes() const { return row_bytes * rows * slices; }
};
[[nodiscard]] PlaneLayout plane_layout(const model::ImageDescription& image, std::uint32_t mip_level,
                                       bool stencil_plane);

// D3D12CalcSubresource: mip levels, then layers, then planes.
[[nodiscard]] std::uint32_t subresource_index(const model::ImageDescription& image, std::uint32_t mip_level,
                                              std::uint32_t array_layer, bool stencil_plane);

}  // namespace heapwright::d3d12
