#include "vulkan/work_recorder.hpp"

#include <algorithm>
#include <cstring>
#include <vector>

#include "device/image_planes.hpp"
#include "device/work_check.hpp"
#include "vulkan/format_map.hpp"

namespace heapwright::vulkan {

namespace {

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
    const DeviceCalls& call;
    VkCommandBuffer commands;
    const PlannedWork& item;
    DispatchRecorder& dispatches;

    Status operator()(const device::FillBuffer& fill) const {
        call.vkCmdFillBuffer(commands, item.first->buffer, fill.offset_bytes, fill.size_bytes, fill.value);
        return {};
    }

    Status operator()(const device::CopyBuffer& copy) const {
        const VkBufferCopy region{
            .srcOffset = copy.source_offset_bytes, .dstOffset = copy.destination_offset_bytes, .size = copy.size_bytes};
        call.vkCmdCopyBuffer(commands, item.first->buffer, item.second->buffer, 1, &region);
        return {};
    }

    Status operator()(const device::ClearImage& clear) const {
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
        return {};
    }

    Status operator()(const device::CopyBufferToImage& copy) const {
        VkBufferImageCopy region = region_of(*item.second, copy.subresource, copy.buffer_offset_bytes);
        if (copy.rows.count != 0) {
            const std::uint32_t block = model::info(image_of(*item.second).format).block_height;
            const std::uint32_t first = copy.rows.first * block;
            region.imageOffset.y = static_cast<std::int32_t>(first);
            // The last block may stick out of the image.
            region.imageExtent.height = std::min(copy.rows.count * block, region.imageExtent.height - first);
        }
        call.vkCmdCopyBufferToImage(commands, item.first->buffer, item.second->image,
                                    VK_IMAGE_LAYOUT_TRANSFER_DST_OPTIMAL, 1, &region);
        return {};
    }

    Status operator()(const device::CopyImageToBuffer& copy) const {
        const VkBufferImageCopy region = region_of(*item.first, copy.subresource, copy.buffer_offset_bytes);
        call.vkCmdCopyImageToBuffer(commands, item.first->image, VK_IMAGE_LAYOUT_TRANSFER_SRC_OPTIMAL,
                                    item.second->buffer, 1, &region);
        return {};
    }

    Status operator()(const device::CopyImage&) const {
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
        return {};
    }

    Status operator()(const device::ClearRenderTarget& clear) const {
        dispatches.clear(clear);
        return {};
    }
    Status operator()(const device::ClearDepthStencil& clear) const {
        dispatches.clear(clear);
        return {};
    }
    Status operator()(const device::DispatchTables& dispatch) const { return dispatches.dispatch(dispatch); }
    Status operator()(const device::TransformBuffer& transform) const {
        return dispatches.transform(transform, item.first->buffer, item.second->buffer);
    }
    Status operator()(const device::DrawBuffer& draw) const { return dispatches.draw(draw, item.first->buffer); }
};

constexpr Scope kEverythingBefore{VK_PIPELINE_STAGE_ALL_COMMANDS_BIT, 0, VK_ACCESS_MEMORY_WRITE_BIT};
// The next command buffer's first barrier starts from all commands: images come to rest before those.
constexpr Scope kEnd{VK_PIPELINE_STAGE_HOST_BIT | VK_PIPELINE_STAGE_ALL_COMMANDS_BIT, VK_ACCESS_HOST_READ_BIT, 0};

void barrier(const OpenDevice& context, VkCommandBuffer commands, const Scope& before, const Scope& after,
             std::span<const LayoutChange> layout_changes) {
    const VkMemoryBarrier memory{.sType = VK_STRUCTURE_TYPE_MEMORY_BARRIER,
                                 .pNext = nullptr,
                                 .srcAccessMask = before.writes,
                                 .dstAccessMask = after.accesses};
    std::vector<VkImageMemoryBarrier> images;
    images.reserve(layout_changes.size());
    for (const LayoutChange& change : layout_changes) {
        images.push_back({.sType = VK_STRUCTURE_TYPE_IMAGE_MEMORY_BARRIER,
                          .pNext = nullptr,
                          .srcAccessMask = before.writes,
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

Status record_work(const OpenDevice& context, VkCommandBuffer commands, const WorkPlan& plan,
                   const WorkObjects& objects, RecordingArena& arena) {
    DispatchRecorder dispatches(context, commands, objects, arena);
    Scope before = kEverythingBefore;
    for (const Batch& batch : plan.batches) {
        barrier(context, commands, before, batch.scope, batch.layout_changes);
        before.add(batch.scope);
        for (std::size_t i = batch.begin; i < batch.end; ++i) {
            HEAPWRIGHT_TRY(
                std::visit(Recorder{context.call, commands, plan.items[i], dispatches}, *plan.items[i].work));
        }
    }
    barrier(context, commands, before, kEnd, plan.last_changes);
    return {};
}

namespace {

device::EngineKind engine_of(VkQueueFlags queue_flags) {
    if ((queue_flags & VK_QUEUE_GRAPHICS_BIT) != 0) return device::EngineKind::kGraphics;
    return (queue_flags & VK_QUEUE_COMPUTE_BIT) != 0 ? device::EngineKind::kCompute : device::EngineKind::kCopy;
}

// Binds an item that device::check_work() let through: its ids are live and of the right kind.
class Binder {
public:
    Binder(const OpenDevice& context, const device::Work& work, const WorkObjects& objects)
        : context_(context), objects_(objects), planned_{.work = &work} {}

    Result<PlannedWork> operator()(const device::FillBuffer& fill) { return resources(fill.buffer); }
    Result<PlannedWork> operator()(const device::CopyBuffer& copy) { return resources(copy.source, copy.destination); }
    Result<PlannedWork> operator()(const device::ClearImage& clear) { return resources(clear.image); }
    Result<PlannedWork> operator()(const device::CopyBufferToImage& copy) { return resources(copy.buffer, copy.image); }
    Result<PlannedWork> operator()(const device::CopyImageToBuffer& copy) { return resources(copy.image, copy.buffer); }
    Result<PlannedWork> operator()(const device::CopyImage& copy) { return resources(copy.source, copy.destination); }

    Result<PlannedWork> operator()(const device::ClearRenderTarget& clear) {
        HEAPWRIGHT_TRY(check_view(context_, objects_, clear.heap, clear.index, clear.image));
        return resources(clear.image);
    }

    Result<PlannedWork> operator()(const device::ClearDepthStencil& clear) {
        HEAPWRIGHT_TRY(check_view(context_, objects_, clear.heap, clear.index, clear.image));
        return resources(clear.image);
    }

    Result<PlannedWork> operator()(const device::DispatchTables& dispatch) {
        HEAPWRIGHT_TRY(check_dispatch(dispatch, objects_));
        return planned_;
    }

    Result<PlannedWork> operator()(const device::TransformBuffer& transform) {
        return resources(transform.source, transform.destination);
    }

    Result<PlannedWork> operator()(const device::DrawBuffer& draw) {
        HEAPWRIGHT_TRY(check_view(context_, objects_, draw.heap, draw.index, draw.image));
        const ImageViewObject& view = *objects_.descriptors.find(draw.heap)->slots[draw.index].view;
        if (view.mip_level != 0 || view.array_layer != 0) {
            return fail(ErrorCode::kInvalidArgument, "a draw's view is of mip 0 and layer 0");
        }
        const std::uint64_t texel_bytes = device::copied_bytes(image_of(*objects_.resources.find(draw.image)), {});
        if (texel_bytes > context_.limits.maxStorageBufferRange) {
            return fail(Error{.code = ErrorCode::kNotSupported,
                              .message = "a draw's texels are more than maxStorageBufferRange",
                              .value = texel_bytes,
                              .limit = context_.limits.maxStorageBufferRange});
        }
        return resources(draw.source, draw.image);
    }

private:
    PlannedWork resources(device::ResourceId first) {
        planned_.first = objects_.resources.find(first);
        return planned_;
    }
    PlannedWork resources(device::ResourceId first, device::ResourceId second) {
        planned_.second = objects_.resources.find(second);
        return resources(first);
    }

    const OpenDevice& context_;
    const WorkObjects& objects_;
    PlannedWork planned_;
};

}  // namespace

Result<PlannedWork> check_work(const OpenDevice& context, const device::Work& work, VkQueueFlags queue_flags,
                               const WorkObjects& objects) {
    HEAPWRIGHT_TRY(device::check_work(work, engine_of(queue_flags),
                                      [&](device::ResourceId id) -> const model::ResourceDescription* {
                                          const Resource* resource = objects.resources.find(id);
                                          return resource == nullptr ? nullptr : &resource->description;
                                      }));
    return std::visit(Binder(context, work, objects), work);
}

}  // namespace heapwright::vulkan
