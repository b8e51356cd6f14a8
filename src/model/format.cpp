#include "heapwright/model/format.hpp"

#include <array>

namespace heapwright::model {
namespace {

// Format, name, VkFormat, DXGI_FORMAT, block width, height, bytes, depth, stencil.
constexpr std::array<FormatInfo, kFormatCount> kFormats{{
    {Format::kR8Unorm, "R8_UNORM", 9, 61, 1, 1, 1, false, false},
    {Format::kR8G8Unorm, "R8G8_UNORM", 16, 49, 1, 1, 2, false, false},
    {Format::kR8G8B8A8Unorm, "R8G8B8A8_UNORM", 37, 28, 1, 1, 4, false, false},
    {Format::kR8G8B8A8Srgb, "R8G8B8A8_SRGB", 43, 29, 1, 1, 4, false, false},
    {Format::kB8G8R8A8Unorm, "B8G8R8A8_UNORM", 44, 87, 1, 1, 4, false, false},
    {Format::kA2B10G10R10UnormPack32, "A2B10G10R10_UNORM_PACK32", 64, 24, 1, 1, 4, false, false},
    {Format::kB10G11R11UfloatPack32, "B10G11R11_UFLOAT_PACK32", 122, 26, 1, 1, 4, false, false},
    {Format::kR16Sfloat, "R16_SFLOAT", 76, 54, 1, 1, 2, false, false},
    {Format::kR16G16Sfloat, "R16G16_SFLOAT", 83, 34, 1, 1, 4, false, false},
    {Format::kR16G16B16A16Sfloat, "R16G16B16A16_SFLOAT", 97, 10, 1, 1, 8, false, false},
    {Format::kR32Uint, "R32_UINT", 98, 42, 1, 1, 4, false, false},
    {Format::kR32Sfloat, "R32_SFLOAT", 100, 41, 1, 1, 4, false, false},
    {Format::kR32G32Sfloat, "R32G32_SFLOAT", 103, 16, 1, 1, 8, false, false},
    {Format::kR32G32B32A32Sfloat, "R32G32B32A32_SFLOAT", 109, 2, 1, 1, 16, false, false},
    {Format::kBc1RgbaUnormBlock, "BC1_RGBA_UNORM_BLOCK", 133, 71, 4, 4, 8, false, false},
    {Format::kBc3UnormBlock, "BC3_UNORM_BLOCK", 137, 77, 4, 4, 16, false, false},
    {Format::kBc5UnormBlock, "BC5_UNORM_BLOCK", 141, 83, 4, 4, 16, false, false},
    {Format::kBc6hUfloatBlock, "BC6H_UFLOAT_BLOCK", 143, 95, 4, 4, 16, false, false},
    {Format::kBc7UnormBlock, "BC7_UNORM_BLOCK", 145, 98, 4, 4, 16, false, false},
    {Format::kAstc4x4UnormBlock, "ASTC_4x4_UNORM_BLOCK", 157, 0, 4, 4, 16, false, false},
    {Format::kEtc2R8G8B8UnormBlock, "ETC2_R8G8B8_UNORM_BLOCK", 147, 0, 4, 4, 8, false, false},
    {Format::kD16Unorm, "D16_UNORM", 124, 55, 1, 1, 2, true, false},
    {Format::kD24UnormS8Uint, "D24_UNORM_S8_UINT", 129, 45, 1, 1, 4, true, true},
    {Format::kD32Sfloat, "D32_SFLOAT", 126, 40, 1, 1, 4, true, false},
    {Format::kD32SfloatS8Uint, "D32_SFLOAT_S8_UINT", 130, 20, 1, 1, 8, true, true},
}};

constexpr bool table_is_in_enum_order() {
    for (std::size_t i = 0; i < kFormats.size(); ++i) {
        if (static_cast<std::size_t>(kFormats[i].format) != i) return false;
    }
    return true;
}
static_assert(table_is_in_enum_order());

}  // namespace

const FormatInfo& info(Format format) {
    return kFormats[static_cast<std::size_t>(format)];
}

std::span<const FormatInfo> all_formats() {
    return kFormats;
}

std::optional<Format> format_from_name(std::string_view name) {
    for (const FormatInfo& entry : kFormats) {
        if (entry.name == name) return entry.format;
    }
    return std::nullopt;
}

}  // namespace heapwright::model
