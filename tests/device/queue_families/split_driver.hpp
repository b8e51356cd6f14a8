// What the driver of split_driver.cpp saw of ownership transfers between queue families.
#pragma once

#include <cstddef>
#include <cstdint>

#include <vulkan/vulkan_core.h>

namespace heapwright::test {

// A barrier that names two families, as recorded for a queue of family `on`.
struct SplitTransfer {
    std::uint32_t on = 0;
    std::uint32_t from = 0;
    std::uint32_t to = 0;
    VkAccessFlags source_access = 0;
    VkAccessFlags destination_access = 0;
    VkPipelineStageFlags source_stages = 0;
    VkPipelineStageFlags destination_stages = 0;
    VkBuffer buffer = VK_NULL_HANDLE;  // one of the two
    VkImage image = VK_NULL_HANDLE;
    VkDeviceSize offset_bytes = 0;
    VkDeviceSize size_bytes = 0;
    VkImageLayout old_layout = VK_IMAGE_LAYOUT_UNDEFINED;
    VkImageLayout new_layout = VK_IMAGE_LAYOUT_UNDEFINED;
};

// Exported by the driver. Gives how many it saw since they were last taken; with room for all of them takes them.
using TakeSplitTransfers = std::size_t(SplitTransfer* transfers, std::size_t room);
inline constexpr const char* kTakeSplitTransfers = "heapwright_split_transfers";

}  // namespace heapwright::test
