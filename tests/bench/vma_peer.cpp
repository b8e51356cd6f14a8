#define VMA_IMPLEMENTATION
#include "vma_header.hpp"

#include "peers.hpp"

namespace heapwright::bench {

VmaPeer::VmaPeer(std::uint64_t capacity, bool minimum_memory)
    : block_(nullptr),
      flags_(minimum_memory ? static_cast<std::uint32_t>(VMA_VIRTUAL_ALLOCATION_CREATE_STRATEGY_MIN_MEMORY_BIT) : 0u) {
    VmaVirtualBlockCreateInfo info = {};
    info.size = capacity;
    VmaVirtualBlock block = VK_NULL_HANDLE;
    if (vmaCreateVirtualBlock(&info, &block) != VK_SUCCESS) std::abort();
    block_ = block;
}

VmaPeer::~VmaPeer() {
    vmaClearVirtualBlock(static_cast<VmaVirtualBlock>(block_));
    vmaDestroyVirtualBlock(static_cast<VmaVirtualBlock>(block_));
}

bool VmaPeer::allocate(std::uint64_t size, std::uint64_t alignment, Handle& handle) {
    VmaVirtualAllocationCreateInfo info = {};
    info.size = size;
    info.alignment = alignment;
    info.flags = flags_;
    VmaVirtualAllocation allocation = VK_NULL_HANDLE;
    if (vmaVirtualAllocate(static_cast<VmaVirtualBlock>(block_), &info, &allocation, nullptr) != VK_SUCCESS)
        return false;
    handle = reinterpret_cast<Handle>(allocation);
    return true;
}

void VmaPeer::free(Handle handle) {
    vmaVirtualFree(static_cast<VmaVirtualBlock>(block_), reinterpret_cast<VmaVirtualAllocation>(handle));
}

}  // namespace heapwright::bench
