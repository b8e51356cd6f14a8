// One memory type's default pool of the Vulkan Memory Allocator, without the device: which block takes a request, what
// sizes of a new block are tried, which block goes back. The caller allocates the blocks and tells the pool.
//   search: the blocks in order, which one swap an operation sorts towards ascending free bytes
//   new blocks: see vma_rule.hpp; on failure half of that, down to an eighth of the preferred size
//   after a free: of two empty blocks one goes back; over budget the emptied one does
// Sizes in bytes. Move-only value; not thread-safe. Places stay valid until they are freed.
// Source: vk_mem_alloc.h 3.2.1, VmaBlockVector; no persistently mapped memory, no pools of the caller's own.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <vector>

#include "heapwright/policy/vma_block.hpp"
#include "heapwright/policy/vma_rule.hpp"

namespace heapwright::policy {

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

}  // namespace heapwright::policy
