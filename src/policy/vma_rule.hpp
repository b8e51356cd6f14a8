// The Vulkan Memory Allocator's default rule for block sizes, as a candidate and as a baseline.
//   a block: 256 MiB, or an eighth of a heap of at most 1 GiB, rounded up to 32 bytes
//   first blocks: 1/8, 1/4, 1/2 of it, each larger than every block there is and at least twice the request
//   a request above half a block gets memory of its own, and so does one that no block can be had for
// Source: vk_mem_alloc.h 3.2.1, CalcPreferredBlockSize, AllocateMemoryOfType, VmaBlockVector::AllocatePage. Pure.
#pragma once

#include <cstddef>
#include <cstdint>

#include "heapwright/core/checked.hpp"

namespace heapwright::policy {

inline constexpr std::uint64_t kVmaSmallHeapBytes = 1ull << 30;
inline constexpr std::uint64_t kVmaLargeHeapBlockBytes = 256ull << 20;
inline constexpr std::size_t kVmaHalvings = 3;

// `large_heap_block_bytes`: VmaAllocatorCreateInfo::preferredLargeHeapBlockSize.
[[nodiscard]] constexpr std::uint64_t vma_block_bytes(std::uint64_t heap_bytes,
                                                      std::uint64_t large_heap_block_bytes = kVmaLargeHeapBlockBytes) {
    constexpr std::uint64_t kUnit = 32;
    return div_ceil(heap_bytes <= kVmaSmallHeapBytes ? heap_bytes / 8 : large_heap_block_bytes, kUnit) * kUnit;
}

[[nodiscard]] constexpr std::uint64_t vma_next_block_bytes(std::uint64_t block_bytes, std::uint64_t largest_held_bytes,
                                                           std::uint64_t size_bytes) {
    std::uint64_t next = block_bytes;
    for (std::size_t halving = 0; halving < kVmaHalvings; ++halving) {
        const std::uint64_t smaller = next / 2;
        if (smaller <= largest_held_bytes || smaller < size_bytes * 2) break;
        next = smaller;
    }
    return next;
}

}  // namespace heapwright::policy
