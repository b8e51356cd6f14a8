#include "heapwright/policy/vma_pool.hpp"

#include <algorithm>
#include <utility>

namespace heapwright::policy {

VmaPool::VmaPool(std::uint64_t preferred_block_bytes, std::uint64_t granularity_bytes)
    : preferred_bytes_(preferred_block_bytes), granularity_bytes_(granularity_bytes) {}

std::optional<VmaPool::Place> VmaPool::allocate_in(Block& block, const VmaRequest& request) {
    if (request.size_bytes > block.free_bytes) return std::nullopt;
    const bool was_empty = block.space->is_empty();
    const auto place = block.space->allocate(request.size_bytes, request.alignment_bytes, request.is_optimal);
    if (!place) return std::nullopt;
    if (was_empty) --empty_blocks_;
    block.free_bytes = block.space->free_bytes();
    const Place found{.block = block.tag, .range = place->range, .offset_bytes = place->offset_bytes};
    sort_a_little();
    return found;
}

std::optional<VmaPool::Place> VmaPool::allocate(const VmaRequest& request) {
    if (!fits_a_block(request.size_bytes)) return std::nullopt;
    for (Block& block : blocks_) {
        if (const auto place = allocate_in(block, request)) return place;
    }
    return std::nullopt;
}

std::vector<std::uint64_t> VmaPool::new_block_sizes(std::uint64_t size_bytes) const {
    std::uint64_t largest = 0;
    for (const Block& block : blocks_) largest = std::max(largest, block.space->size_bytes());
    std::vector<std::uint64_t> sizes{vma_next_block_bytes(preferred_bytes_, largest, size_bytes)};
    // As often as the first size left halvings over.
    const auto halvings_of = [&](std::uint64_t bytes) {
        std::size_t halvings = 0;
        for (std::uint64_t size = preferred_bytes_; size > bytes; size /= 2) ++halvings;
        return halvings;
    };
    for (std::size_t done = halvings_of(sizes.front()); done < kVmaHalvings && sizes.back() / 2 >= size_bytes; ++done)
        sizes.push_back(sizes.back() / 2);
    return sizes;
}

std::optional<VmaPool::Place> VmaPool::allocate_in_new_block(std::uint64_t block, std::uint64_t size_bytes,
                                                             const VmaRequest& request) {
    auto space = std::make_unique<VmaBlock>(size_bytes, granularity_bytes_);
    blocks_.push_back({.tag = block, .free_bytes = space->free_bytes(), .space = std::move(space)});
    ++empty_blocks_;
    return allocate_in(blocks_.back(), request);
}

std::optional<VmaPool::GivenBack> VmaPool::free(const Place& place, bool is_over_budget) {
    const bool had_empty = empty_blocks_ != 0;
    const auto found = std::ranges::find(blocks_, place.block, &Block::tag);
    found->space->free(place.range);
    found->free_bytes = found->space->free_bytes();
    auto surplus = blocks_.end();
    if (found->space->is_empty()) {
        ++empty_blocks_;
        if (had_empty || is_over_budget) surplus = found;
    } else if (had_empty && blocks_.back().space->is_empty()) {
        surplus = blocks_.end() - 1;
    }
    std::optional<GivenBack> given_back;
    if (surplus != blocks_.end()) {
        given_back = GivenBack{.block = surplus->tag, .size_bytes = surplus->space->size_bytes()};
        blocks_.erase(surplus);
        --empty_blocks_;
    }
    sort_a_little();
    return given_back;
}

std::vector<VmaPool::GivenBack> VmaPool::blocks() const {
    std::vector<GivenBack> all;
    for (const Block& block : blocks_) all.push_back({.block = block.tag, .size_bytes = block.space->size_bytes()});
    return all;
}

void VmaPool::sort_a_little() {
    for (std::size_t i = 1; i < blocks_.size(); ++i) {
        if (blocks_[i - 1].free_bytes <= blocks_[i].free_bytes) continue;
        std::swap(blocks_[i - 1], blocks_[i]);
        return;
    }
}

}  // namespace heapwright::policy
