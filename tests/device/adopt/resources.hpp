// Creation parameters as an engine has them, with chains.
#pragma once

#include <array>
#include <cstdint>

#include <vulkan/vulkan_core.h>

namespace heapwright::test {

struct BufferInfo {
    BufferInfo(std::uint64_t size_bytes, VkBufferUsageFlags usage) {
        external.sType = VK_STRUCTURE_TYPE_EXTERNAL_MEMORY_BUFFER_CREATE_INFO;
        info.sType = VK_STRUCTURE_TYPE_BUFFER_CREATE_INFO;
        info.pNext = &external;
        info.size = size_bytes;
        info.usage = usage;
    }
    BufferInfo(const BufferInfo&) = delete;
    BufferInfo& operator=(const BufferInfo&) = delete;

    VkExternalMemoryBufferCreateInfo external{};  // shared with nobody
    VkBufferCreateInfo info{};
};

// May be seen in two formats, which its chain lists.
struct ImageInfo {
    ImageInfo(std::uint32_t width, std::uint32_t height) {
        formats.sType = VK_STRUCTURE_TYPE_IMAGE_FORMAT_LIST_CREATE_INFO;
        formats.viewFormatCount = static_cast<std::uint32_t>(kFormats.size());
        formats.pViewFormats = kFormats.data();
        info.sType = VK_STRUCTURE_TYPE_IMAGE_CREATE_INFO;
        info.pNext = &formats;
        info.flags = VK_IMAGE_CREATE_MUTABLE_FORMAT_BIT;
        info.imageType = VK_IMAGE_TYPE_2D;
        info.format = VK_FORMAT_R8G8B8A8_UNORM;
        info.extent = {width, height, 1};
        info.mipLevels = 1;
        info.arrayLayers = 1;
        info.samples = VK_SAMPLE_COUNT_1_BIT;
        info.tiling = VK_IMAGE_TILING_OPTIMAL;
        info.usage = VK_IMAGE_USAGE_SAMPLED_BIT | VK_IMAGE_USAGE_TRANSFER_DST_BIT;
    }
    ImageInfo(const ImageInfo&) = delete;
    ImageInfo& operator=(const ImageInfo&) = delete;

    static constexpr std::array kFormats{VK_FORMAT_R8G8B8A8_UNORM, VK_FORMAT_R8G8B8A8_SRGB};
    VkImageFormatListCreateInfo formats{};
    VkImageCreateInfo info{};
};

}  // namespace heapwright::test
