// Every format of VkFormat, and what must be known of one to size an image. Workloads and traces may name them all; a
// sweep asks about the first 25. Names are Vulkan's without the prefix VK_FORMAT_; numbers are VkFormat's and
// DXGI_FORMAT's own values.
// Source: vk.xml by scripts/vulkan-names; DXGI_FORMAT documentation. Pure and thread-safe.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string_view>

namespace heapwright::model {

enum class Format : std::uint16_t {
#define HEAPWRIGHT_FORMAT(enumerator, ...) enumerator,
#include "heapwright/model/detail/format_rows.inc"
#undef HEAPWRIGHT_FORMAT
};

inline constexpr std::uint32_t kSweptFormatCount = 25;
inline constexpr std::uint32_t kFormatCount = 0
#define HEAPWRIGHT_FORMAT(...) +1
#include "heapwright/model/detail/format_rows.inc"
#undef HEAPWRIGHT_FORMAT
    ;

struct FormatInfo {
    Format format;
    std::string_view name;
    std::uint32_t vk_format;
    std::uint32_t dxgi_format;  // 0 where DXGI has none
    std::uint32_t block_width;
    std::uint32_t block_height;
    std::uint32_t block_bytes;  // packed bytes of one texel block, all aspects and planes together
    bool has_depth;
    bool has_stencil;
    std::uint32_t planes;  // more than 1: a multi-planar (YCbCr) format
    bool compressed;       // by block: BC, ETC2, EAC, ASTC, PVRTC

    [[nodiscard]] constexpr bool is_depth_stencil() const { return has_depth || has_stencil; }
    [[nodiscard]] constexpr bool is_compressed() const { return compressed; }
    [[nodiscard]] constexpr bool is_multi_planar() const { return planes > 1; }
    // Texels of a block are not alike, so that a block is no colour that a clear could write.
    [[nodiscard]] constexpr bool has_blocks() const { return block_width > 1; }
};

[[nodiscard]] const FormatInfo& info(Format format);
[[nodiscard]] std::span<const FormatInfo> all_formats();
// Those that every probe asks about.
[[nodiscard]] std::span<const FormatInfo> swept_formats();
[[nodiscard]] std::optional<Format> format_from_name(std::string_view name);

}  // namespace heapwright::model
