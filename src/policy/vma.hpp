// The Vulkan Memory Allocator's default strategy over numbers, for simulations and baselines: a block, the sizes of
// blocks, a memory type's pool, the allocator of all types.
//
// One block of the Vulkan Memory Allocator, offsets alone: where its default strategy places a request, step by step as
// the allocator itself does it, so that a block is full for it exactly when it is full here.
//   bins: 4 below 257 bytes, then 32 an octave; the list of a bin is last in, first out
//   the free range at the end of the block is kept apart and asked only when the bins above have nothing
//   bufferImageGranularity up to 256: optimal images are padded to it; above: pages know what kind lies on them
// Sizes in bytes. Move-only value; not thread-safe. Requests of size 0 are not allowed.
// Source: vk_mem_alloc.h 3.2.1, VmaBlockMetadata_TLSF and VmaBlockBufferImageGranularity.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <vector>

#include "core/checked.hpp"
#include "heapwright/core/result.hpp"
#include "heapwright/model/report.hpp"
#include "heapwright/model/resource.hpp"

namespace heapwright::policy {

class VmaBlock {
public:
    struct Place {
        std::uint32_t range = 0;
        std::uint64_t offset_bytes = 0;
    };

    VmaBlock(std::uint64_t size_bytes, std::uint64_t granularity_bytes);

    [[nodiscard]] std::optional<Place> allocate(std::uint64_t size_bytes, std::uint64_t alignment_bytes,
                                                bool is_optimal);
    void free(std::uint32_t range);

    [[nodiscard]] std::uint64_t size_bytes() const { return size_bytes_; }
    [[nodiscard]] std::uint64_t free_bytes() const { return binned_bytes_ + ranges_[last_].size; }
    [[nodiscard]] bool is_empty() const { return ranges_[last_].offset == 0; }

private:
    static constexpr std::uint32_t kNone = ~0u;
    static constexpr std::uint32_t kOctaves = 58;

    struct Range {
        std::uint64_t offset = 0;
        std::uint64_t size = 0;
        std::uint32_t before = kNone;
        std::uint32_t after = kNone;
        std::uint32_t previous_free = kNone;
        std::uint32_t next_free = kNone;
        bool is_free = false;
    };
    struct Bin {
        std::uint32_t octave = 0;
        std::uint32_t step = 0;
    };
    struct Fit {
        std::uint32_t range = kNone;
        std::uint64_t offset = 0;
    };
    // A page of bufferImageGranularity bytes: what lies on it first decides what may join.
    struct Page {
        bool is_optimal = false;
        std::uint16_t count = 0;
    };
    struct Request {
        std::uint64_t size = 0;
        std::uint64_t alignment = 1;
        bool is_optimal = false;
    };

    [[nodiscard]] static Bin bin_of(std::uint64_t size);
    [[nodiscard]] static std::uint32_t list_of(Bin bin);
    [[nodiscard]] std::uint32_t first_list_from(std::uint64_t size) const;
    [[nodiscard]] Fit fit_in_list(std::uint32_t list, const Request& request) const;
    [[nodiscard]] Fit fit(std::uint32_t range, const Request& request) const;
    [[nodiscard]] Fit find(const Request& request) const;
    [[nodiscard]] bool has_pages() const { return !pages_.empty(); }
    [[nodiscard]] bool conflicts(std::uint64_t page, bool is_optimal) const {
        return pages_[page].count != 0 && pages_[page].is_optimal != is_optimal;
    }
    void count_pages(const Range& range, bool is_optimal, int change);
    [[nodiscard]] std::uint32_t take_range();
    void insert(std::uint32_t range);
    void remove(std::uint32_t range);
    void merge_with_previous(std::uint32_t range);

    std::uint64_t size_bytes_;
    std::uint64_t granularity_bytes_;
    std::vector<Range> ranges_;
    std::vector<std::uint32_t> spare_;
    std::vector<std::uint32_t> heads_;
    std::vector<Page> pages_;
    std::array<std::uint32_t, kOctaves> steps_ = {};  // of each octave, a bit a filled list
    std::uint64_t octaves_ = 0;
    std::uint32_t last_ = 0;  // the free range at the end, in no list; may be of size 0
    std::uint64_t binned_bytes_ = 0;
    std::uint64_t binned_count_ = 0;
};

// The Vulkan Memory Allocator's default rule for block sizes, as a candidate and as a baseline.
//   a block: 256 MiB, or an eighth of a heap of at most 1 GiB, rounded up to 32 bytes
//   first blocks: 1/8, 1/4, 1/2 of it, each larger than every block there is and at least twice the request
//   a request above half a block gets memory of its own, and so does one that no block can be had for
// Source: vk_mem_alloc.h 3.2.1, CalcPreferredBlockSize, AllocateMemoryOfType, VmaBlockVector::AllocatePage. Pure.

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

// One memory type's default pool of the Vulkan Memory Allocator, without the device: which block takes a request, what
// sizes of a new block are tried, which block goes back. The caller allocates the blocks and tells the pool.
//   search: the blocks in order, which one swap an operation sorts towards ascending free bytes
//   new blocks: see vma_next_block_bytes(); on failure half of that, down to an eighth of the preferred size
//   after a free: of two empty blocks one goes back; over budget the emptied one does
// Sizes in bytes. Move-only value; not thread-safe. Places stay valid until they are freed.
// Source: vk_mem_alloc.h 3.2.1, VmaBlockVector; no persistently mapped memory, no pools of the caller's own.

struct VmaRequest {
    std::uint64_t size_bytes = 0;
    std::uint64_t alignment_bytes = 1;
    bool is_optimal = false;
};

class VmaPool {
public:
    struct Place {
        std::uint64_t block = 0;  // the tag given to add_block()
        std::uint32_t range = 0;
        std::uint64_t offset_bytes = 0;
    };
    struct GivenBack {
        std::uint64_t block = 0;
        std::uint64_t size_bytes = 0;
    };

    // `preferred_block_bytes`: vma_block_bytes() of the heap.
    VmaPool(std::uint64_t preferred_block_bytes, std::uint64_t granularity_bytes);

    [[nodiscard]] std::uint64_t preferred_block_bytes() const { return preferred_bytes_; }
    // Whether the allocator wants memory of its own for the request, whatever the blocks hold.
    [[nodiscard]] bool prefers_dedicated(std::uint64_t size_bytes) const { return size_bytes > preferred_bytes_ / 2; }
    [[nodiscard]] bool fits_a_block(std::uint64_t size_bytes) const { return size_bytes <= preferred_bytes_; }

    [[nodiscard]] std::optional<Place> allocate(const VmaRequest& request);
    // Sizes of a new block for the request, in the order in which they are tried.
    [[nodiscard]] std::vector<std::uint64_t> new_block_sizes(std::uint64_t size_bytes) const;
    // The new block's tag is the caller's and unique; nothing when even an empty block does not hold the request.
    [[nodiscard]] std::optional<Place> allocate_in_new_block(std::uint64_t block, std::uint64_t size_bytes,
                                                             const VmaRequest& request);
    // The block to give back, if any.
    [[nodiscard]] std::optional<GivenBack> free(const Place& place, bool is_over_budget = false);

    [[nodiscard]] std::vector<GivenBack> blocks() const;

private:
    struct Block {
        std::uint64_t tag = 0;
        std::uint64_t free_bytes = 0;  // the space's, kept here for the search
        std::unique_ptr<VmaBlock> space;
    };

    [[nodiscard]] std::optional<Place> allocate_in(Block& block, const VmaRequest& request);
    void sort_a_little();

    std::uint64_t preferred_bytes_;
    std::uint64_t granularity_bytes_;
    std::vector<Block> blocks_;
    std::size_t empty_blocks_ = 0;
};

// The Vulkan Memory Allocator's default pools of all memory types: what it tries for a request, in which order, and
// what it gives back. VmaPool places in the blocks; whoever owns the memory takes and gives back what this asks.
//   types  in the caller's order; the next one where one has nothing
//   own    where the driver requires it; where it prefers it or half a block is exceeded, if there is memory for it,
//   and
//          as long as a quarter of maxMemoryAllocationCount is left; and where no block can be had
//   budget four fifths of a heap, as without VK_EXT_memory_budget
// Sizes in bytes. Not thread-safe. Ownership: the facts and the memory outlive it.
// Source: vk_mem_alloc.h 3.2.1, VmaAllocator_T::AllocateMemoryOfType, VmaBlockVector.

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
