// What one asks a driver for (an image, a buffer) and what it answers (size, alignment, memory types, dedicated).
// Plain values, pure functions; sizes in bytes, extents in texels.
// Source: VkImageCreateInfo, VkBufferCreateInfo, VkMemoryRequirements2, VkMemoryDedicatedRequirements;
// D3D12_RESOURCE_DESC, D3D12_RESOURCE_ALLOCATION_INFO.
#pragma once

#include <cstdint>
#include <string>
#include <variant>

#include "heapwright/model/flags.hpp"
#include "heapwright/model/format.hpp"

namespace heapwright::model {

enum class ImageTiling : std::uint8_t { kOptimal, kLinear };
enum class ImageDimension : std::uint8_t { k2d, k3d };

// Which resources may share a chunk or stand beside each other in one.
// Vulkan: kLinear is every buffer and linear image, kOptimal every optimal image (bufferImageGranularity lies between
// them). Direct3D 12: kLinear is buffers, kOptimal textures that are neither render target nor depth stencil,
// kOptimalRenderTarget those that are (resource heap tier 1 keeps the three apart).
enum class ResourceClass : std::uint8_t { kLinear, kOptimal, kOptimalRenderTarget };

enum class Dedicated : std::uint8_t { kNone, kPreferred, kRequired };

struct ImageDescription {
    Format format = Format::kR8G8B8A8Unorm;
    ImageTiling tiling = ImageTiling::kOptimal;
    ImageDimension dimension = ImageDimension::k2d;
    Flags usage = 0;  // image_usage bits
    std::uint32_t width = 1;
    std::uint32_t height = 1;
    std::uint32_t depth = 1;
    std::uint32_t mip_levels = 1;
    std::uint32_t array_layers = 1;
    std::uint32_t samples = 1;
    Flags flags = 0;  // image_creation bits

    friend bool operator==(const ImageDescription&, const ImageDescription&) = default;
};

struct BufferDescription {
    std::uint64_t size_bytes = 1;
    Flags usage = 0;  // buffer_usage bits

    friend bool operator==(const BufferDescription&, const BufferDescription&) = default;
};

using ResourceDescription = std::variant<ImageDescription, BufferDescription>;

// What a driver asks for one resource. size_bytes 0: it refused such a resource.
struct MemoryRequirements {
    std::uint64_t size_bytes = 0;
    std::uint64_t alignment_bytes = 1;
    std::uint32_t memory_type_bits = 0;
    Dedicated dedicated = Dedicated::kNone;

    friend bool operator==(const MemoryRequirements&, const MemoryRequirements&) = default;
};

// floor(log2(largest side)) + 1.
[[nodiscard]] std::uint32_t full_mip_chain(std::uint32_t width, std::uint32_t height, std::uint32_t depth = 1);

// Bytes of the texels alone, packed: every mip level, layer and sample, no padding. The yardstick of overhead.
[[nodiscard]] std::uint64_t packed_size_bytes(const ImageDescription& image);

// "image 256x256 R8G8B8A8_UNORM, 9 mips, usage SAMPLED|TRANSFER_DST", "buffer of 1024 bytes, usage VERTEX_BUFFER".
[[nodiscard]] std::string resource_text(const ResourceDescription& resource);

[[nodiscard]] ResourceClass resource_class(const ResourceDescription& resource, bool separate_render_targets);

// Only such an image may lie in lazily allocated memory (VK_IMAGE_USAGE_TRANSIENT_ATTACHMENT_BIT).
[[nodiscard]] bool is_transient_attachment(const ResourceDescription& resource);

}  // namespace heapwright::model
