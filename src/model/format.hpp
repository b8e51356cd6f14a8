// Pixel formats that heapwright sweeps and workloads may name, and what must be known of one to size an image.
// Names are Vulkan's without the prefix VK_FORMAT_; numbers are VkFormat's and DXGI_FORMAT's own values.
// Source: Vulkan 1.3 specification, "Formats"; DXGI_FORMAT documentation. Pure and thread-safe.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string_view>

namespace heapwright::model {

enum class Format : std::uint8_t {
    kR8Unorm,
    kR8G8Unorm,
    kR8G8B8A8Unorm,
    kR8G8B8A8Srgb,
    kB8G8R8A8Unorm,
    kA2B10G10R10UnormPack32,
    kB10G11R11UfloatPack32,
    kR16Sfloat,
    kR16G16Sfloat,
    kR16G16B16A16Sfloat,
    kR32Uint,
    kR32Sfloat,
    kR32G32Sfloat,
    kR32G32B32A32Sfloat,
    kBc1RgbaUnormBlock,
    kBc3UnormBlock,
    kBc5UnormBlock,
    kBc6hUfloatBlock,
    kBc7UnormBlock,
    kAstc4x4UnormBlock,
    kEtc2R8G8B8UnormBlock,
    kD16Unorm,
    kD24UnormS8Uint,
    kD32Sfloat,
    kD32SfloatS8Uint,
};

inline constexpr std::uint32_t kFormatCount = 25;

struct FormatInfo {
    Format format;
    std::string_view name;
    std::uint32_t vk_format;
    std::uint32_t dxgi_format;  // 0 where DXGI has none
    std::uint32_t block_width;
    std::uint32_t block_height;
    std::uint32_t block_bytes;  // packed bytes of one texel block, all aspects together
    bool has_depth;
    bool has_stencil;

    [[nodiscard]] constexpr bool is_depth_stencil() const { return has_depth || has_stencil; }
    [[nodiscard]] constexpr bool is_compressed() const { return block_width > 1; }
};

[[nodiscard]] const FormatInfo& info(Format format);
[[nodiscard]] std::span<const FormatInfo> all_formats();
[[nodiscard]] std::optional<Format> format_from_name(std::string_view name);

}  // namespace heapwright::model
