// Allocates and frees device memory of a memory type (VkDeviceMemory, ID3D12Heap), reads the budget, maps. Never
// suballocates. Vulkan: vkAllocateMemory, VK_EXT_memory_budget. Direct3D 12: CreateHeap, QueryVideoMemoryInfo.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "heapwright/core/index.hpp"
#include "heapwright/core/result.hpp"
#include "heapwright/model/report.hpp"

namespace heapwright::device {

struct AllocationId {
    std::uint64_t value = 0;
    friend constexpr auto operator<=>(AllocationId, AllocationId) = default;
};

struct AllocationRequest {
    MemoryTypeIndex memory_type;
    std::uint64_t size_bytes = 0;
    float priority = 0.5f;        // VK_EXT_memory_priority, where the device has it
    bool device_address = false;  // buffers in it may have a device address
};

class MemorySource {
public:
    virtual ~MemorySource() = default;

    // Errors: kOutOfDeviceMemory, kOutOfHostMemory, kTooManyObjects (the allocation count limit), kDeviceLost,
    // kInvalidArgument (unknown memory type, size 0 or above maxMemoryAllocationSize). Nothing is kept on an error.
    [[nodiscard]] virtual Result<AllocationId> allocate(const AllocationRequest& request) = 0;

    // Every resource placed in it is gone and no submitted work uses it.
    virtual void free(AllocationId memory) = 0;

    // The whole allocation, mapped for its lifetime; the same span on every call. Errors: kNotSupported when the memory
    // type is not host visible.
    [[nodiscard]] virtual Result<std::span<std::byte>> map(AllocationId memory) = 0;

    // Make host writes visible to the device, device writes visible to the host. No-ops on coherent memory; offset
    // and size are widened to nonCoherentAtomSize.
    [[nodiscard]] virtual Status flush(AllocationId memory, std::uint64_t offset_bytes, std::uint64_t size_bytes) = 0;
    [[nodiscard]] virtual Status invalidate(AllocationId memory, std::uint64_t offset_bytes,
                                            std::uint64_t size_bytes) = 0;

    // One entry per memory heap. A device without budgets gives its heap sizes and this process's own usage.
    [[nodiscard]] virtual Result<std::vector<model::HeapBudget>> budgets() = 0;
};

}  // namespace heapwright::device
