// The two halves of queue family ownership transfers as barriers.
//
// Both halves of one transfer are the same barrier but for what each queue knows: the release makes the writes of all
// commands before it available, the acquire makes them visible to all commands after it; the semaphore between the two
// submissions orders them. Buffers by range; images whole, in the layout in which they rest between submissions on both
// sides, so that no transfer changes a layout.
// Vulkan specification, queue family ownership transfer.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "heapwright_generated/volk.hpp"

#include "device/submitter.hpp"
#include "heapwright/core/result.hpp"
#include "vulkan/open_device.hpp"
#include "vulkan/resource_binder.hpp"

namespace heapwright::vulkan {

enum class TransferHalf : std::uint8_t { kRelease, kAcquire };

struct TransferBarriers {
    std::vector<VkBufferMemoryBarrier> buffers;
    std::vector<VkImageMemoryBarrier> images;

    [[nodiscard]] bool empty() const { return buffers.empty() && images.empty(); }
};

// For a queue of `family`. Guarded as the images' layouts are. Errors: kInvalidArgument (a resource that is not live or
// not exclusive, an image that no submission used before, a half that is another family's), kOutOfRange.
[[nodiscard]] Result<TransferBarriers> transfer_barriers(std::span<const device::OwnershipTransfer> transfers,
                                                         TransferHalf half, std::uint32_t family,
                                                         ResourceBinder& resources);

// Nothing without barriers.
void record_transfers(const OpenDevice& context, VkCommandBuffer commands, const TransferBarriers& barriers);

}  // namespace heapwright::vulkan
