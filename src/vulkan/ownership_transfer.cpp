#include "vulkan/ownership_transfer.hpp"

#include <fmt/format.h>

#include "vulkan/work_plan.hpp"

namespace heapwright::vulkan {
namespace {

// Of the other half the specification ignores the mask.
constexpr VkAccessFlags source_access(TransferHalf half) {
    return half == TransferHalf::kRelease ? VkAccessFlags{VK_ACCESS_MEMORY_WRITE_BIT} : 0;
}
constexpr VkAccessFlags destination_access(TransferHalf half) {
    return half == TransferHalf::kAcquire ? VkAccessFlags{VK_ACCESS_MEMORY_READ_BIT | VK_ACCESS_MEMORY_WRITE_BIT} : 0;
}

Status check(const device::OwnershipTransfer& transfer, TransferHalf half, std::uint32_t family,
             const Resource* resource) {
    if (resource == nullptr) return fail(ErrorCode::kInvalidArgument, "a transfer names a resource that is not live");
    if (!resource->is_exclusive)
        return fail(ErrorCode::kInvalidArgument, "a transfer names a resource that is shared by all queue families");
    const bool is_release = half == TransferHalf::kRelease;
    if ((is_release ? transfer.from : transfer.to).value != family || transfer.from == transfer.to) {
        return fail({.code = ErrorCode::kInvalidArgument,
                     .message = fmt::format("{} from family {} to family {} is not for a queue of family {}",
                                            is_release ? "a release" : "an acquire", transfer.from.value,
                                            transfer.to.value, family)});
    }
    if (resource->image != VK_NULL_HANDLE) {
        if (resource->layout == kRestingLayout) return {};
        return fail(ErrorCode::kInvalidArgument, "a transfer names an image that nothing has used yet");
    }
    const std::uint64_t size_bytes = std::get<model::BufferDescription>(resource->description).size_bytes;
    if (transfer.size_bytes != 0 && transfer.offset_bytes <= size_bytes &&
        transfer.size_bytes <= size_bytes - transfer.offset_bytes) {
        return {};
    }
    return fail({.code = ErrorCode::kOutOfRange,
                 .message = fmt::format("a transfer of {} bytes at {} leaves its buffer", transfer.size_bytes,
                                        transfer.offset_bytes),
                 .where = {},
                 .value = transfer.size_bytes,
                 .limit = size_bytes});
}

}  // namespace

Result<TransferBarriers> transfer_barriers(std::span<const device::OwnershipTransfer> transfers, TransferHalf half,
                                           std::uint32_t family, ResourceBinder& resources) {
    TransferBarriers barriers;
    for (const device::OwnershipTransfer& transfer : transfers) {
        const Resource* resource = resources.find(transfer.resource);
        HEAPWRIGHT_TRY(check(transfer, half, family, resource));
        if (resource->image == VK_NULL_HANDLE) {
            barriers.buffers.push_back({.sType = VK_STRUCTURE_TYPE_BUFFER_MEMORY_BARRIER,
                                        .pNext = nullptr,
                                        .srcAccessMask = source_access(half),
                                        .dstAccessMask = destination_access(half),
                                        .srcQueueFamilyIndex = transfer.from.value,
                                        .dstQueueFamilyIndex = transfer.to.value,
                                        .buffer = resource->buffer,
                                        .offset = transfer.offset_bytes,
                                        .size = transfer.size_bytes});
            continue;
        }
        const auto& image = std::get<model::ImageDescription>(resource->description);
        barriers.images.push_back({.sType = VK_STRUCTURE_TYPE_IMAGE_MEMORY_BARRIER,
                                   .pNext = nullptr,
                                   .srcAccessMask = source_access(half),
                                   .dstAccessMask = destination_access(half),
                                   .oldLayout = kRestingLayout,
                                   .newLayout = kRestingLayout,
                                   .srcQueueFamilyIndex = transfer.from.value,
                                   .dstQueueFamilyIndex = transfer.to.value,
                                   .image = resource->image,
                                   .subresourceRange = {.aspectMask = all_aspects(image.format),
                                                        .baseMipLevel = 0,
                                                        .levelCount = VK_REMAINING_MIP_LEVELS,
                                                        .baseArrayLayer = 0,
                                                        .layerCount = VK_REMAINING_ARRAY_LAYERS}});
    }
    return barriers;
}

// Semaphores of submissions wait for and signal all commands: both halves chain with those.
void record_transfers(const OpenDevice& context, VkCommandBuffer commands, const TransferBarriers& barriers) {
    if (barriers.empty()) return;
    context.call.vkCmdPipelineBarrier(commands, VK_PIPELINE_STAGE_ALL_COMMANDS_BIT, VK_PIPELINE_STAGE_ALL_COMMANDS_BIT,
                                      0, 0, nullptr, static_cast<std::uint32_t>(barriers.buffers.size()),
                                      barriers.buffers.data(), static_cast<std::uint32_t>(barriers.images.size()),
                                      barriers.images.data());
}

}  // namespace heapwright::vulkan
