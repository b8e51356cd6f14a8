// The only file that sees VMA's header: its warnings are not ours.
#if defined(__GNUC__)
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wall"
#pragma GCC diagnostic ignored "-Wextra"
#pragma GCC diagnostic ignored "-Wpedantic"
#pragma GCC diagnostic ignored "-Wshadow"
#pragma GCC diagnostic ignored "-Wconversion"
#pragma GCC diagnostic ignored "-Wsign-conversion"
#pragma GCC diagnostic ignored "-Wunused-parameter"
#pragma GCC diagnostic ignored "-Wunused-variable"
#pragma GCC diagnostic ignored "-Wunused-function"
#pragma GCC diagnostic ignored "-Wmissing-field-initializers"
#endif
#define VMA_STATIC_VULKAN_FUNCTIONS 0
#define VMA_DYNAMIC_VULKAN_FUNCTIONS 0
#define VMA_IMPLEMENTATION
#include <vk_mem_alloc.h>
#if defined(__GNUC__)
#pragma GCC diagnostic pop
#endif

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
