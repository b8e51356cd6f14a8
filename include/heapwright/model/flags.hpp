// Bit sets with the values of the Vulkan specification. Direct3D 12 properties are expressed in the same bits
// (a DEFAULT heap is DEVICE_LOCAL, an UPLOAD heap is HOST_VISIBLE | HOST_COHERENT, ...), so that pure code knows one
// vocabulary. In documents a bit set is an array of the names below, in bit order. Pure and thread-safe.
// Source: Vulkan 1.3 specification, VkMemoryPropertyFlagBits, VkMemoryHeapFlagBits, VkImageUsageFlagBits,
// VkImageCreateFlagBits, VkBufferUsageFlagBits, VkQueueFlagBits, VkImageAspectFlagBits, VkSparseImageFormatFlagBits,
// VkImageCompressionFlagBitsEXT, VkImageCompressionFixedRateFlagBitsEXT.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>

namespace heapwright::model {

using Flags = std::uint32_t;

struct FlagName {
    Flags bit;
    std::string_view name;
};

namespace memory_property {
inline constexpr Flags kDeviceLocal = 0x1;
inline constexpr Flags kHostVisible = 0x2;
inline constexpr Flags kHostCoherent = 0x4;
inline constexpr Flags kHostCached = 0x8;
inline constexpr Flags kLazilyAllocated = 0x10;
inline constexpr Flags kProtected = 0x20;
inline constexpr Flags kDeviceCoherentAmd = 0x40;
inline constexpr Flags kDeviceUncachedAmd = 0x80;
inline constexpr Flags kRdmaCapableNv = 0x100;
}  // namespace memory_property

namespace memory_heap {
inline constexpr Flags kDeviceLocal = 0x1;
inline constexpr Flags kMultiInstance = 0x2;
inline constexpr Flags kTileMemoryQcom = 0x8;
}  // namespace memory_heap

namespace image_usage {
inline constexpr Flags kTransferSrc = 0x1;
inline constexpr Flags kTransferDst = 0x2;
inline constexpr Flags kSampled = 0x4;
inline constexpr Flags kStorage = 0x8;
inline constexpr Flags kColorAttachment = 0x10;
inline constexpr Flags kDepthStencilAttachment = 0x20;
inline constexpr Flags kTransientAttachment = 0x40;
inline constexpr Flags kInputAttachment = 0x80;
}  // namespace image_usage

namespace buffer_usage {
inline constexpr Flags kTransferSrc = 0x1;
inline constexpr Flags kTransferDst = 0x2;
inline constexpr Flags kUniformTexel = 0x4;
inline constexpr Flags kStorageTexel = 0x8;
inline constexpr Flags kUniform = 0x10;
inline constexpr Flags kStorage = 0x20;
inline constexpr Flags kIndex = 0x40;
inline constexpr Flags kVertex = 0x80;
inline constexpr Flags kIndirect = 0x100;
inline constexpr Flags kShaderDeviceAddress = 0x20000;
}  // namespace buffer_usage

// Those that creation carries out here; a document may name the others, and is told that they are not supported.
namespace image_creation {
inline constexpr Flags kMutableFormat = 0x8;
inline constexpr Flags kCubeCompatible = 0x10;
inline constexpr Flags k2dArrayCompatible = 0x20;
inline constexpr Flags kBlockTexelViewCompatible = 0x80;
inline constexpr Flags kExtendedUsage = 0x100;
inline constexpr Flags kAlias = 0x400;
inline constexpr Flags kCarriedOut =
    kMutableFormat | kCubeCompatible | k2dArrayCompatible | kBlockTexelViewCompatible | kExtendedUsage | kAlias;
}  // namespace image_creation

namespace queue_flag {
inline constexpr Flags kGraphics = 0x1;
inline constexpr Flags kCompute = 0x2;
inline constexpr Flags kTransfer = 0x4;
inline constexpr Flags kSparseBinding = 0x8;
inline constexpr Flags kProtected = 0x10;
inline constexpr Flags kVideoDecode = 0x20;
inline constexpr Flags kVideoEncode = 0x40;
inline constexpr Flags kOpticalFlowNv = 0x100;
}  // namespace queue_flag

namespace image_aspect {
inline constexpr Flags kColor = 0x1;
inline constexpr Flags kDepth = 0x2;
inline constexpr Flags kStencil = 0x4;
inline constexpr Flags kMetadata = 0x8;
}  // namespace image_aspect

namespace sparse_image_format {
inline constexpr Flags kSingleMiptail = 0x1;
inline constexpr Flags kAlignedMipSize = 0x2;
inline constexpr Flags kNonstandardBlockSize = 0x4;
}  // namespace sparse_image_format

namespace image_compression {
inline constexpr Flags kFixedRateDefault = 0x1;
inline constexpr Flags kFixedRateExplicit = 0x2;
inline constexpr Flags kDisabled = 0x4;
}  // namespace image_compression

// Name tables in bit order; usages and creation flags are vk.xml's, by scripts/vulkan-names. A bit that a device
// reports and no table names is written as "BIT_n".
[[nodiscard]] std::span<const FlagName> memory_property_names();
[[nodiscard]] std::span<const FlagName> memory_heap_names();
[[nodiscard]] std::span<const FlagName> image_usage_names();
[[nodiscard]] std::span<const FlagName> buffer_usage_names();
[[nodiscard]] std::span<const FlagName> image_creation_names();
[[nodiscard]] std::span<const FlagName> queue_flag_names();
[[nodiscard]] std::span<const FlagName> image_aspect_names();
[[nodiscard]] std::span<const FlagName> sparse_image_format_names();
[[nodiscard]] std::span<const FlagName> image_compression_names();
// Bit n is n + 1 bits per component.
[[nodiscard]] std::span<const FlagName> image_compression_fixed_rate_names();

// The name of one bit, "BIT_n" for one that the table does not name.
[[nodiscard]] std::string flag_name(Flags bit, std::span<const FlagName> names);
// The bit of a name, "BIT_n" included where the table names no bit n.
[[nodiscard]] std::optional<Flags> parse_flag_name(std::string_view text, std::span<const FlagName> names);
// "; the nearest is \"SAMPLED\"" (core/text.hpp).
[[nodiscard]] std::string nearest_flag_hint(std::string_view text, std::span<const FlagName> names);
// "SAMPLED|TRANSFER_DST|BIT_30": the names of all bits, in bit order; `none` for no bits.
[[nodiscard]] std::string flags_text(Flags flags, std::span<const FlagName> names, std::string_view none = {});

}  // namespace heapwright::model
