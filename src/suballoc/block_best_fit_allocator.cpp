#include "heapwright/suballoc/block_best_fit_allocator.hpp"

#include <algorithm>
#include <bit>

#include <fmt/format.h>

#include "core/checked.hpp"

namespace heapwright::suballoc {

using detail::RangeNode;
using detail::RangeTable;

Result<BlockBestFitAllocator> BlockBestFitAllocator::create(const BlockBestFitOptions& options) {
    HEAPWRIGHT_ASSIGN(const detail::Granules granules,
                      detail::to_granules(options.capacity, options.block_size, options.reserved_ranges));
    return BlockBestFitAllocator(granules.count, granules.shift, options.reserved_ranges);
}

BlockBestFitAllocator::BlockBestFitAllocator(std::uint64_t blocks, std::uint32_t block_shift,
                                             std::uint32_t reserved_ranges)
    : block_shift_(block_shift), ranges_(blocks, reserved_ranges) {
    insert_free(RangeTable::kFirst);
}

void BlockBestFitAllocator::reset() {
    free_ranges_.clear();
    ranges_.reset();
    used_blocks_ = 0;
    used_count_ = 0;
    waste_ = 0;
    insert_free(RangeTable::kFirst);
}

void BlockBestFitAllocator::insert_free(std::uint32_t index) {
    ranges_[index].link_or_generation = 0;
    free_ranges_.insert({ranges_[index].size, ranges_[index].offset, index});
}

void BlockBestFitAllocator::erase_free(std::uint32_t index) {
    free_ranges_.erase({ranges_[index].size, ranges_[index].offset, index});
}

AllocateResult BlockBestFitAllocator::allocate(std::uint64_t size, std::uint64_t alignment) {
    if (size == 0) return tl::unexpected(AllocateFailure::kZeroSize);
    if (!is_alignment(alignment)) return tl::unexpected(AllocateFailure::kBadAlignment);
    if (size > capacity()) return tl::unexpected(AllocateFailure::kTooLarge);
    const std::uint64_t blocks = ((size - 1) >> block_shift_) + 1;
    // Beyond the block's size every alignment means offset 0; the bound keeps sums below 2^64.
    const std::uint64_t aligned =
        std::clamp<std::uint64_t>(alignment >> block_shift_, 1, std::bit_ceil(ranges_.granules()));

    auto found = free_ranges_.lower_bound({blocks, 0, 0});
    std::uint64_t lead = 0;
    for (; found != free_ranges_.end(); ++found) {
        lead = (0 - found->offset) & (aligned - 1);
        if (lead + blocks <= found->size) break;
    }
    if (found == free_ranges_.end()) return tl::unexpected(AllocateFailure::kExhausted);

    return cut(found->node, lead, blocks, (blocks << block_shift_) - size);
}

AllocateResult BlockBestFitAllocator::allocate_at(std::uint64_t offset, std::uint64_t size) {
    const auto place = detail::to_place(offset, size, block_shift_, ranges_.granules());
    if (!place) return tl::unexpected(place.error());
    const std::uint32_t index = ranges_.find_free(place->begin, place->end);
    if (index == RangeTable::kBorder) return tl::unexpected(AllocateFailure::kExhausted);
    return cut(index, place->begin - ranges_[index].offset, place->end - place->begin, 0);
}

// Takes `blocks` of a free range from `lead` on; what lies before and after stays free.
AllocateResult BlockBestFitAllocator::cut(std::uint32_t used, std::uint64_t lead, std::uint64_t blocks,
                                          std::uint64_t waste) {
    erase_free(used);
    if (lead != 0) {
        const std::uint32_t rest = ranges_.take();
        ranges_[rest].offset = ranges_[used].offset;
        ranges_[rest].size = lead;
        ranges_.link_before(rest, used);
        ranges_[used].offset += lead;
        ranges_[used].size -= lead;
        insert_free(rest);
    }
    if (ranges_[used].size > blocks) {
        const std::uint32_t rest = ranges_.take();
        ranges_[rest].offset = ranges_[used].offset + blocks;
        ranges_[rest].size = ranges_[used].size - blocks;
        ranges_.link_before(rest, ranges_[used].after);
        ranges_[used].size = blocks;
        insert_free(rest);
    }
    used_blocks_ += blocks;
    ++used_count_;
    waste_ += waste;
    const SuballocationHandle handle = ranges_.mark_used(used, waste);
    return Suballocation{ranges_[used].offset << block_shift_, blocks << block_shift_, handle};
}

FreeOutcome BlockBestFitAllocator::free(SuballocationHandle handle) {
    if (!ranges_.is_live(handle)) return FreeOutcome::kInvalidHandle;
    const std::uint32_t index = handle.index;
    used_blocks_ -= ranges_[index].size;
    --used_count_;
    waste_ -= ranges_[index].link_or_waste;
    const std::uint32_t before = ranges_[index].before;
    if (!ranges_[before].is_used()) {
        erase_free(before);
        ranges_[index].offset = ranges_[before].offset;
        ranges_[index].size += ranges_[before].size;
        ranges_.unlink(before);
        ranges_.give_back(before);
    }
    const std::uint32_t after = ranges_[index].after;
    if (!ranges_[after].is_used()) {
        erase_free(after);
        ranges_[index].size += ranges_[after].size;
        ranges_.unlink(after);
        ranges_.give_back(after);
    }
    insert_free(index);
    return FreeOutcome::kFreed;
}

Figures BlockBestFitAllocator::figures() const {
    Figures figures;
    figures.capacity = capacity();
    figures.used = used();
    figures.suballocation_count = used_count_;
    figures.internal_waste = waste_;
    for (const FreeRange& range : free_ranges_) figures.add_free_range(range.size << block_shift_);
    return figures;
}

Status BlockBestFitAllocator::validate_invariants() const {
    HEAPWRIGHT_TRY(ranges_.validate(used_blocks_, used_count_, waste_));
    std::uint64_t free_count = 0;
    for (std::uint32_t index = ranges_.first(); index != RangeTable::kBorder; index = ranges_[index].after) {
        const RangeNode& node = ranges_[index];
        if (node.is_used()) continue;
        ++free_count;
        const auto found = free_ranges_.find({node.size, node.offset, index});
        if (found == free_ranges_.end() || found->node != index)
            return fail(ErrorCode::kInvariantBroken,
                        fmt::format("the free range at {} is missing from the order by size", node.offset));
    }
    if (free_count != free_ranges_.size())
        return fail({.code = ErrorCode::kInvariantBroken,
                     .message = "the order by size holds ranges that are not free",
                     .value = free_ranges_.size(),
                     .limit = free_count});
    return {};
}

}  // namespace heapwright::suballoc
