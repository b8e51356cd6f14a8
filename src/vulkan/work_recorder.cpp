#include "heapwright/vulkan/work_recorder.hpp"

#include <cstring>
#include <vector>

#include "heapwright/vulkan/format_map.hpp"

namespace heapwright::vulkan {
namespace {

const model::ImageDescription& image_of(const Resource& resource) {
    return std::get<model::ImageDescription>(resource.description);
}

VkImageSubresourceRange whole_range(const Resource& image) {
    return {.aspectMask = all_aspects(image_of(image).format),
            .baseMipLevel = 0,
            .levelCount = VK_REMAINING_MIP_LEVELS,
            .baseArrayLayer = 0,
            .layerCount = VK_REMAINING_ARRAY_LAYERS};
}

VkBufferImageCopy region_of(const Resource& image, const device::ImageSubresource& part,
                            std::uint64_t buffer_offset_bytes) {
    VkImageAspectFlags aspect = all_aspects(image_of(image).format);
    if (aspect != VK_IMAGE_ASPECT_COLOR_BIT) {
        aspect = part.stencil_aspect || (aspect & VK_IMAGE_ASPECT_DEPTH_BIT) == 0 ? VK_IMAGE_ASPECT_STENCIL_BIT
                                                                                  : VK_IMAGE_ASPECT_DEPTH_BIT;
    }
    return {.bufferOffset = buffer_offset_bytes,
            .bufferRowLength = 0,  // tightly packed
            .bufferImageHeight = 0,
            .imageSubresource = {.aspectMask = aspect,
                                 .mipLevel = part.mip_level,
                                 .baseArrayLayer = part.array_layer,
                                 .layerCount = 1},
            .imageOffset = {0, 0, 0},
            .imageExtent = mip_extent(image_of(image), part.mip_level)};
}

struct Recorder {
    const VolkDeviceTable& call;
    VkCommandBuffer commands;
    const PlannedWork& item;

    void operator()(const device::FillBuffer& fill) const {
        call.vkCmdFillBuffer(commands, item.first->buffer, fill.offset_bytes, fill.size_bytes, fill.value);
    }

    void operator()(const device::CopyBuffer& copy) const {
        const VkBufferCopy region{
            .srcOffset = copy.source_offset_bytes, .dstOffset = copy.destination_offset_bytes, .size = copy.size_bytes};
        call.vkCmdCopyBuffer(commands, item.first->buffer, item.second->buffer, 1, &region);
    }

    void operator()(const device::ClearImage& clear) const {
        const VkImageSubresourceRange range = whole_range(*item.first);
        constexpr VkImageLayout kLayout = VK_IMAGE_LAYOUT_TRANSFER_DST_OPTIMAL;
        if (range.aspectMask == VK_IMAGE_ASPECT_COLOR_BIT) {
            VkClearColorValue colour{};
            static_assert(sizeof colour == sizeof clear.value);
            std::memcpy(&colour, clear.value.data(), sizeof colour);
            call.vkCmdClearColorImage(commands, item.first->image, kLayout, &colour, 1, &range);
        } else {
            VkClearDepthStencilValue value{};
            std::memcpy(&value.depth, &clear.value[0], sizeof value.depth);
            value.stencil = clear.value[1];
            call.vkCmdClearDepthStencilImage(commands, item.first->image, kLayout, &value, 1, &range);
        }
    }

    void operator()(const device::CopyBufferToImage& copy) const {
        const VkBufferImageCopy region = region_of(*item.second, copy.subresource, copy.buffer_offset_bytes);
        call.vkCmdCopyBufferToImage(commands, item.first->buffer, item.second->image,
                                    VK_IMAGE_LAYOUT_TRANSFER_DST_OPTIMAL, 1, &region);
    }

    void operator()(const device::CopyImageToBuffer& copy) const {
        const VkBufferImageCopy region = region_of(*item.first, copy.subresource, copy.buffer_offset_bytes);
        call.vkCmdCopyImageToBuffer(commands, item.first->image, VK_IMAGE_LAYOUT_TRANSFER_SRC_OPTIMAL,
                                    item.second->buffer, 1, &region);
    }

    void operator()(const device::CopyImage&) const {
        const model::ImageDescription& image = image_of(*item.first);
        std::vector<VkImageCopy> regions;
        for (std::uint32_t mip = 0; mip < image.mip_levels; ++mip) {
            const VkImageSubresourceLayers layers{.aspectMask = all_aspects(image.format),
                                                  .mipLevel = mip,
                                                  .baseArrayLayer = 0,
                                                  .layerCount = image.array_layers};
            regions.push_back({.srcSubresource = layers,
                               .srcOffset = {0, 0, 0},
                               .dstSubresource = layers,
                               .dstOffset = {0, 0, 0},
                               .extent = mip_extent(image, mip)});
        }
        call.vkCmdCopyImage(commands, item.first->image, VK_IMAGE_LAYOUT_TRANSFER_SRC_OPTIMAL, item.second->image,
                            VK_IMAGE_LAYOUT_TRANSFER_DST_OPTIMAL, static_cast<std::uint32_t>(regions.size()),
                            regions.data());
    }

    void operator()(const device::ClearRenderTarget&) const {}
    void operator()(const device::ClearDepthStencil&) const {}
    void operator()(const device::DispatchTables&) const {}
};

struct Scope {
    VkPipelineStageFlags stages;
    VkAccessFlags accesses;
};

constexpr Scope kEverythingBefore{VK_PIPELINE_STAGE_ALL_COMMANDS_BIT, VK_ACCESS_MEMORY_WRITE_BIT};
constexpr Scope kTransfer{VK_PIPELINE_STAGE_TRANSFER_BIT, VK_ACCESS_TRANSFER_READ_BIT | VK_ACCESS_TRANSFER_WRITE_BIT};
constexpr Scope kTransferWrites{VK_PIPELINE_STAGE_TRANSFER_BIT, VK_ACCESS_TRANSFER_WRITE_BIT};
constexpr Scope kHost{VK_PIPELINE_STAGE_HOST_BIT, VK_ACCESS_HOST_READ_BIT};

void barrier(const DeviceContext& context, VkCommandBuffer commands, const Scope& before, const Scope& after,
             std::span<const LayoutChange> layout_changes) {
    const VkMemoryBarrier memory{.sType = VK_STRUCTURE_TYPE_MEMORY_BARRIER,
                                 .pNext = nullptr,
                                 .srcAccessMask = before.accesses,
                                 .dstAccessMask = after.accesses};
    std::vector<VkImageMemoryBarrier> images;
    images.reserve(layout_changes.size());
    for (const LayoutChange& change : layout_changes) {
        images.push_back({.sType = VK_STRUCTURE_TYPE_IMAGE_MEMORY_BARRIER,
                          .pNext = nullptr,
                          .srcAccessMask = before.accesses,
                          .dstAccessMask = after.accesses,
                          .oldLayout = change.from,
                          .newLayout = change.to,
                          .srcQueueFamilyIndex = VK_QUEUE_FAMILY_IGNORED,
                          .dstQueueFamilyIndex = VK_QUEUE_FAMILY_IGNORED,
                          .image = change.image->image,
                          .subresourceRange = whole_range(*change.image)});
    }
    context.call.vkCmdPipelineBarrier(commands, before.stages, after.stages, 0, 1, &memory, 0, nullptr,
                                      static_cast<std::uint32_t>(images.size()), images.data());
}

}  // namespace

void record_work(const DeviceContext& context, VkCommandBuffer commands, const WorkPlan& plan) {
    bool first = true;
    for (const Batch& batch : plan.batches) {
        barrier(context, commands, first ? kEverythingBefore : kTransferWrites, kTransfer, batch.layout_changes);
        first = false;
        for (std::size_t i = batch.begin; i < batch.end; ++i) {
            std::visit(Recorder{context.call, commands, plan.items[i]}, *plan.items[i].work);
        }
    }
    barrier(context, commands, kTransferWrites, kHost, {});
}

}  // namespace heapwright::vulkan
