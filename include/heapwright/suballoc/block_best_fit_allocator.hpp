// BlockBestFitAllocator: best fit in blocks of S units. The smallest free range that holds the request is taken, of
// equal ones the lowest; neighbouring free ranges are merged when a suballocation is freed.
// Guarantees: no overlap; every offset is a multiple of S, so alignments up to S cost nothing; larger alignments are
// met by searching on. An empty block gives its whole capacity. A request fails only if no free range holds it.
// Time: O(log n) in the free ranges, O(n) for an alignment above S. Not thread-safe. Errors: create() by value, the
// rest by enum.
// Source: "Vulkan Memory Allocation (Part 1 of N)": blocks of size S, best fit, merging of adjacent free spaces.
#pragma once

#include <cstdint>
#include <set>

#include "heapwright/core/result.hpp"
#include "heapwright/suballoc/detail/range_table.hpp"
#include "heapwright/suballoc/figures.hpp"
#include "heapwright/suballoc/suballocation.hpp"

namespace heapwright::suballoc {

struct BlockBestFitOptions {
    std::uint64_t capacity = 0;           // rounded down to a multiple of the block size
    std::uint64_t block_size = 1;         // S: power of two, at most 2^30
    std::uint32_t reserved_ranges = 256;  // ranges that fit before the array grows
};

class BlockBestFitAllocator {
public:
    [[nodiscard]] static Result<BlockBestFitAllocator> create(const BlockBestFitOptions& options);

    [[nodiscard]] AllocateResult allocate(std::uint64_t size, std::uint64_t alignment = 1);
    // Takes exactly [offset, offset + size), both multiples of S, where it is free. O(n).
    [[nodiscard]] AllocateResult allocate_at(std::uint64_t offset, std::uint64_t size);
    FreeOutcome free(SuballocationHandle handle);
    void reset();

    [[nodiscard]] std::uint64_t capacity() const { return ranges_.granules() << block_shift_; }
    [[nodiscard]] std::uint64_t block_size() const { return 1ull << block_shift_; }
    [[nodiscard]] std::uint64_t used() const { return used_blocks_ << block_shift_; }
    [[nodiscard]] std::uint64_t suballocation_count() const { return used_count_; }
    [[nodiscard]] bool is_empty() const { return used_count_ == 0; }
    [[nodiscard]] std::uint64_t largest_free_range() const {
        return free_ranges_.empty() ? 0 : free_ranges_.rbegin()->size << block_shift_;
    }
    [[nodiscard]] Figures figures() const;
    [[nodiscard]] Status validate_invariants() const;

    // visit(offset, size, is_used) over all ranges in order of offset.
    template <class Visit>
    void for_each_range(Visit&& visit) const {
        for (std::uint32_t index = ranges_.first(); index != detail::RangeTable::kBorder; index = ranges_[index].after)
            visit(ranges_[index].offset << block_shift_, ranges_[index].size << block_shift_, ranges_[index].is_used());
    }
    // visit(Suballocation) over what is live, in order of offset.
    template <class Visit>
    void for_each_suballocation(Visit&& visit) const {
        for (std::uint32_t index = ranges_.first(); index != detail::RangeTable::kBorder; index = ranges_[index].after)
            if (ranges_[index].is_used())
                visit(Suballocation{ranges_[index].offset << block_shift_,
                                    ranges_[index].size << block_shift_,
                                    {index, ranges_[index].generation()}});
    }

private:
    struct FreeRange {
        std::uint64_t size;
        std::uint64_t offset;
        std::uint32_t node;
        friend bool operator<(const FreeRange& a, const FreeRange& b) {
            return a.size != b.size ? a.size < b.size : a.offset < b.offset;
        }
    };

    BlockBestFitAllocator(std::uint64_t blocks, std::uint32_t block_shift, std::uint32_t reserved_ranges);
    [[nodiscard]] AllocateResult cut(std::uint32_t index, std::uint64_t lead, std::uint64_t blocks,
                                     std::uint64_t waste);
    void insert_free(std::uint32_t index);
    void erase_free(std::uint32_t index);

    std::uint32_t block_shift_;
    detail::RangeTable ranges_;
    std::set<FreeRange> free_ranges_;  // by size, then by offset
    std::uint64_t used_blocks_ = 0;
    std::uint64_t used_count_ = 0;
    std::uint64_t waste_ = 0;
};

}  // namespace heapwright::suballoc
