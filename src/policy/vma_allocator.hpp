// The Vulkan Memory Allocator's default pools of all memory types: what it tries for a request, in which order, and
// what it gives back. vma_pool.hpp places in the blocks; whoever owns the memory takes and gives back what this asks.
//   types  in the caller's order; the next one where one has nothing
//   own    where the driver requires it; where it prefers it or half a block is exceeded, if there is memory for it,
//   and
//          as long as a quarter of maxMemoryAllocationCount is left; and where no block can be had
//   budget four fifths of a heap, as without VK_EXT_memory_budget
// Sizes in bytes. Not thread-safe. Ownership: the facts and the memory outlive it.
// Source: vk_mem_alloc.h 3.2.1, VmaAllocator_T::AllocateMemoryOfType, VmaBlockVector.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <span>
#include <vector>

#include "heapwright/core/result.hpp"
#include "heapwright/model/report.hpp"
#include "heapwright/model/resource.hpp"
#include "heapwright/policy/vma_pool.hpp"

namespace heapwright::policy {

class VmaAllocator {
public:
    // Blocks go by tags, which are never used again.
    class Blocks {
    public:
        virtual ~Blocks() = default;
        [[nodiscard]] virtual Status take(std::uint64_t block, std::uint32_t memory_type, std::uint64_t size_bytes) = 0;
        virtual void give_back(std::uint64_t block, std::uint32_t memory_type, std::uint64_t size_bytes) = 0;
        // Device allocations that are alive, those of one resource too.
        [[nodiscard]] virtual std::uint64_t allocations() const = 0;
    };
    struct Request {
        model::MemoryRequirements requirements;
        bool is_optimal = false;  // an image of optimal tiling
    };
    struct Place {
        std::uint32_t memory_type = 0;
        std::uint64_t size_bytes = 0;
        std::optional<VmaPool::Place> in_block;  // empty: memory of its own
    };

    struct BlockSizes {
        // VmaAllocatorCreateInfo::preferredLargeHeapBlockSize, for heaps above 1 GiB.
        std::uint64_t large_heap_bytes = kVmaLargeHeapBlockBytes;
        bool of_small_heaps = false;  // they have the same, as D3D12MA's; else an eighth of the heap
    };

    VmaAllocator(const model::DeviceReport& facts, Blocks& blocks, BlockSizes sizes);
    VmaAllocator(const model::DeviceReport& facts, Blocks& blocks) : VmaAllocator(facts, blocks, BlockSizes{}) {}

    // take_own(memory_type): memory for this request alone. Errors: the last type's.
    [[nodiscard]] Result<Place> allocate(std::span<const std::uint32_t> types, const Request& request,
                                         const std::function<Status(std::uint32_t)>& take_own);
    // Memory of its own is the caller's to give back.
    void free(const Place& place);
    // All blocks, for the end.
    void give_back_blocks();

private:
    [[nodiscard]] std::uint64_t budget_of(std::uint32_t type) const;
    [[nodiscard]] std::uint64_t free_of(std::uint32_t type) const;
    [[nodiscard]] std::uint64_t& reserved_of(std::uint32_t type) {
        return reserved_[facts_.memory_types[type].heap_index];
    }
    [[nodiscard]] Result<Place> allocate_in(std::uint32_t type, const Request& request,
                                            const std::function<Status(std::uint32_t)>& take_own);
    [[nodiscard]] Result<Place> allocate_own(std::uint32_t type, const Request& request,
                                             const std::function<Status(std::uint32_t)>& take_own);
    [[nodiscard]] Result<Place> allocate_placed(std::uint32_t type, const Request& request);
    [[nodiscard]] Result<VmaPool::Place> place_in_new_block(std::uint32_t type, const VmaRequest& request);

    const model::DeviceReport& facts_;
    Blocks& blocks_;
    std::uint64_t most_allocations_;
    std::uint64_t atom_bytes_;
    std::vector<VmaPool> pools_;           // by memory type
    std::vector<std::uint64_t> reserved_;  // by heap
    std::uint64_t next_block_ = 0;
};

}  // namespace heapwright::policy
