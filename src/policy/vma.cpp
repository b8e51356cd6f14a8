#include "policy/vma.hpp"

#include <algorithm>
#include <bit>
#include <utility>

#include "contract/feasibility.hpp"
#include "core/checked.hpp"

namespace heapwright::policy {
namespace {

constexpr std::uint64_t kSmall = 256;  // sizes up to here share the lists of octave 0
constexpr std::uint64_t kSmallStep = kSmall / 4;
constexpr std::uint32_t kSmallLists = 4;
constexpr std::uint32_t kStepBits = 5;
constexpr std::uint32_t kOctaveShift = 7;
constexpr std::uint64_t kMostPaddedGranularity = 256;

constexpr std::uint32_t top_bit(std::uint64_t size) {
    return static_cast<std::uint32_t>(std::bit_width(size)) - 1;
}

}  // namespace

VmaBlock::VmaBlock(std::uint64_t size_bytes, std::uint64_t granularity_bytes)
    : size_bytes_(size_bytes), granularity_bytes_(std::max<std::uint64_t>(granularity_bytes, 1)) {
    ranges_.push_back({.size = size_bytes, .is_free = true});
    const Bin bin = bin_of(size_bytes);
    heads_.assign((bin.octave == 0 ? 0 : (bin.octave - 1) * (1u << kStepBits) + bin.step) + 1 + kSmallLists, kNone);
    if (granularity_bytes_ > kMostPaddedGranularity)
        pages_.resize(static_cast<std::size_t>(div_ceil(size_bytes, granularity_bytes_)));
}

inline VmaBlock::Bin VmaBlock::bin_of(std::uint64_t size) {
    if (size <= kSmall) return {.step = static_cast<std::uint32_t>((size - 1) / kSmallStep)};
    const std::uint32_t octave = top_bit(size) - kOctaveShift;
    return {.octave = octave,
            .step = static_cast<std::uint32_t>(size >> (octave + kOctaveShift - kStepBits)) ^ (1u << kStepBits)};
}

inline std::uint32_t VmaBlock::list_of(Bin bin) {
    return bin.octave == 0 ? bin.step : (bin.octave - 1) * (1u << kStepBits) + bin.step + kSmallLists;
}

// The list with the smallest sizes that is filled and whose bin is at or after the bin of `size`.
inline std::uint32_t VmaBlock::first_list_from(std::uint64_t size) const {
    Bin bin = bin_of(size);
    std::uint32_t steps = steps_[bin.octave] & (~0u << bin.step);
    if (steps == 0) {
        const std::uint64_t later = octaves_ & (~0ull << (bin.octave + 1));
        if (later == 0) return kNone;
        bin.octave = static_cast<std::uint32_t>(std::countr_zero(later));
        steps = steps_[bin.octave];
    }
    bin.step = static_cast<std::uint32_t>(std::countr_zero(steps));
    return list_of(bin);
}

inline VmaBlock::Fit VmaBlock::fit(std::uint32_t index, const Request& request) const {
    const Range& range = ranges_[index];
    std::uint64_t offset = align_up(range.offset, request.alignment);
    if (range.size < request.size + (offset - range.offset)) return {};
    if (has_pages()) {
        std::uint64_t first = offset / granularity_bytes_;
        // As the allocator itself: a request moved to the next page that ends on it too is not checked against what
        // lies there, so that a linear and an optimal resource can come to share a page.
        if (conflicts(first, request.is_optimal)) {
            offset = align_up(offset, granularity_bytes_);
            if (range.size < request.size + (offset - range.offset)) return {};
            ++first;
        }
        const std::uint64_t last = (offset + request.size - 1) / granularity_bytes_;
        if (last != first && conflicts(last, request.is_optimal)) return {};
    }
    return {.range = index, .offset = offset};
}

inline VmaBlock::Fit VmaBlock::fit_in_list(std::uint32_t list, const Request& request) const {
    if (list == kNone) return {};
    for (std::uint32_t range = heads_[list]; range != kNone; range = ranges_[range].next_free) {
        if (const Fit found = fit(range, request); found.range != kNone) return found;
    }
    return {};
}

inline VmaBlock::Fit VmaBlock::find(const Request& request) const {
    if (request.size > free_bytes()) return {};
    if (binned_count_ == 0) return fit(last_, request);
    std::uint64_t size_of_next_list = request.size + kSmallStep;
    if (request.size > kSmall)
        size_of_next_list = request.size + (1ull << (top_bit(request.size) - kStepBits));
    else if (request.size > kSmall - kSmallStep)
        size_of_next_list = kSmall + 1;

    const std::uint32_t next = first_list_from(size_of_next_list);
    if (const Fit found = fit_in_list(next, request); found.range != kNone) return found;
    if (const Fit found = fit(last_, request); found.range != kNone) return found;
    if (const Fit found = fit_in_list(first_list_from(request.size), request); found.range != kNone) return found;
    if (next == kNone) return {};
    for (std::uint32_t list = next + 1; list < heads_.size(); ++list) {
        if (const Fit found = fit_in_list(list, request); found.range != kNone) return found;
    }
    return {};
}

std::optional<VmaBlock::Place> VmaBlock::allocate(std::uint64_t size_bytes, std::uint64_t alignment_bytes,
                                                  bool is_optimal) {
    Request request{.size = size_bytes, .alignment = alignment_bytes, .is_optimal = is_optimal};
    if (is_optimal && granularity_bytes_ <= kMostPaddedGranularity) {
        request.alignment = std::max(alignment_bytes, granularity_bytes_);
        request.size = align_up(size_bytes, granularity_bytes_);
    }
    const auto [index, offset] = find(request);
    if (index == kNone) return std::nullopt;
    if (index != last_) remove(index);

    if (const std::uint64_t lead = offset - ranges_[index].offset; lead != 0) {
        const std::uint32_t front = take_range();
        const std::uint32_t before = ranges_[index].before;
        ranges_[front] = {.offset = ranges_[index].offset, .size = lead, .before = before, .after = index};
        ranges_[index].before = front;
        if (before != kNone) ranges_[before].after = front;
        ranges_[index].size -= lead;
        ranges_[index].offset += lead;
        insert(front);
    }
    // A request that takes all of the range at the end leaves one of size 0 there.
    if (const std::uint64_t tail = ranges_[index].size - request.size; tail != 0 || index == last_) {
        const std::uint32_t rest = take_range();
        const std::uint32_t after = ranges_[index].after;
        ranges_[rest] = {.offset = offset + request.size, .size = tail, .before = index, .after = after};
        ranges_[index].after = rest;
        ranges_[index].size = request.size;
        if (index == last_) {
            last_ = rest;
            ranges_[rest].is_free = true;
        } else {
            ranges_[after].before = rest;
            insert(rest);
        }
    }
    ranges_[index].is_free = false;
    count_pages(ranges_[index], is_optimal, 1);
    return Place{.range = index, .offset_bytes = offset};
}

void VmaBlock::free(std::uint32_t index) {
    count_pages(ranges_[index], false, -1);
    const std::uint32_t before = ranges_[index].before;
    const std::uint32_t after = ranges_[index].after;
    if (before != kNone && ranges_[before].is_free) {
        remove(before);
        merge_with_previous(index);
    }
    if (!ranges_[after].is_free) return insert(index);
    if (after != last_) remove(after);
    merge_with_previous(after);
    if (after != last_) insert(after);
}

void VmaBlock::count_pages(const Range& range, bool is_optimal, int change) {
    if (!has_pages()) return;
    const std::uint64_t first = range.offset / granularity_bytes_;
    const std::uint64_t last = (range.offset + range.size - 1) / granularity_bytes_;
    const auto count = [&](Page& page) {
        if (change > 0 && page.count == 0) page.is_optimal = is_optimal;
        page.count = static_cast<std::uint16_t>(page.count + change);
    };
    count(pages_[first]);
    if (last != first) count(pages_[last]);
}

inline std::uint32_t VmaBlock::take_range() {
    if (spare_.empty()) {
        ranges_.emplace_back();
        return static_cast<std::uint32_t>(ranges_.size() - 1);
    }
    const std::uint32_t index = spare_.back();
    spare_.pop_back();
    return index;
}

inline void VmaBlock::insert(std::uint32_t index) {
    Range& range = ranges_[index];
    const Bin bin = bin_of(range.size);
    std::uint32_t& head = heads_[list_of(bin)];
    range.is_free = true;
    range.previous_free = kNone;
    range.next_free = head;
    if (head != kNone) ranges_[head].previous_free = index;
    head = index;
    steps_[bin.octave] |= 1u << bin.step;
    octaves_ |= 1ull << bin.octave;
    binned_bytes_ += range.size;
    ++binned_count_;
}

inline void VmaBlock::remove(std::uint32_t index) {
    Range& range = ranges_[index];
    if (range.next_free != kNone) ranges_[range.next_free].previous_free = range.previous_free;
    if (range.previous_free != kNone) {
        ranges_[range.previous_free].next_free = range.next_free;
    } else {
        const Bin bin = bin_of(range.size);
        heads_[list_of(bin)] = range.next_free;
        if (range.next_free == kNone) {
            steps_[bin.octave] &= ~(1u << bin.step);
            if (steps_[bin.octave] == 0) octaves_ &= ~(1ull << bin.octave);
        }
    }
    range.is_free = false;
    binned_bytes_ -= range.size;
    --binned_count_;
}

inline void VmaBlock::merge_with_previous(std::uint32_t index) {
    Range& range = ranges_[index];
    const std::uint32_t previous = range.before;
    range.offset = ranges_[previous].offset;
    range.size += ranges_[previous].size;
    range.before = ranges_[previous].before;
    if (range.before != kNone) ranges_[range.before].after = index;
    spare_.push_back(previous);
}

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

VmaAllocator::VmaAllocator(const model::DeviceReport& facts, Blocks& blocks, BlockSizes sizes)
    : facts_(facts),
      blocks_(blocks),
      most_allocations_(contract::most_allocations(facts)),
      atom_bytes_(contract::flush_unit_bytes(facts)),
      reserved_(facts.heaps.size()) {
    const std::uint64_t granularity = contract::granularity_bytes(facts);
    for (const model::MemoryType& type : facts.memory_types) {
        const std::uint64_t heap_bytes = sizes.of_small_heaps ? ~0ull : facts.heaps[type.heap_index].size_bytes;
        pools_.emplace_back(vma_block_bytes(heap_bytes, sizes.large_heap_bytes), granularity);
    }
}

std::uint64_t VmaAllocator::budget_of(std::uint32_t type) const {
    return facts_.heaps[facts_.memory_types[type].heap_index].size_bytes * 8 / 10;
}

std::uint64_t VmaAllocator::free_of(std::uint32_t type) const {
    const std::uint64_t budget = budget_of(type);
    return budget - std::min(budget, reserved_[facts_.memory_types[type].heap_index]);
}

Result<VmaAllocator::Place> VmaAllocator::allocate(std::span<const std::uint32_t> types, const Request& request,
                                                   const std::function<Status(std::uint32_t)>& take_own) {
    for (std::size_t i = 0; i < types.size(); ++i) {
        auto made = allocate_in(types[i], request, take_own);
        if (made || i + 1 == types.size()) return made;
    }
    return fail(ErrorCode::kNotSupported, "no memory type serves this use");
}

Result<VmaAllocator::Place> VmaAllocator::allocate_in(std::uint32_t type, const Request& request,
                                                      const std::function<Status(std::uint32_t)>& take_own) {
    const model::MemoryRequirements& requirements = request.requirements;
    if (requirements.dedicated == model::Dedicated::kRequired) return allocate_own(type, request, take_own);
    const bool few_left = most_allocations_ < 0xFFFFFFFFull / 4 && blocks_.allocations() > most_allocations_ * 3 / 4;
    const bool wants_own = !few_left && (requirements.dedicated != model::Dedicated::kNone ||
                                         pools_[type].prefers_dedicated(requirements.size_bytes));
    if (wants_own) {
        if (auto own = allocate_own(type, request, take_own)) return own;
    }
    auto placed = allocate_placed(type, request);
    if (placed || wants_own) return placed;
    return allocate_own(type, request, take_own);
}

Result<VmaAllocator::Place> VmaAllocator::allocate_own(std::uint32_t type, const Request& request,
                                                       const std::function<Status(std::uint32_t)>& take_own) {
    HEAPWRIGHT_TRY(take_own(type));
    reserved_of(type) += request.requirements.size_bytes;
    return Place{.memory_type = type, .size_bytes = request.requirements.size_bytes, .in_block = {}};
}

Result<VmaAllocator::Place> VmaAllocator::allocate_placed(std::uint32_t type, const Request& request) {
    namespace property = model::memory_property;
    const model::Flags flags = facts_.memory_types[type].property_flags;
    const bool is_non_coherent = (flags & property::kHostVisible) != 0 && (flags & property::kHostCoherent) == 0;
    const model::MemoryRequirements& requirements = request.requirements;
    const VmaRequest in_block{
        .size_bytes = requirements.size_bytes,
        .alignment_bytes = std::max(requirements.alignment_bytes, is_non_coherent ? atom_bytes_ : 1),
        .is_optimal = request.is_optimal};
    auto place = pools_[type].allocate(in_block);
    if (!place) {
        HEAPWRIGHT_ASSIGN(place, place_in_new_block(type, in_block));
    }
    return Place{.memory_type = type, .size_bytes = requirements.size_bytes, .in_block = place};
}

Result<VmaPool::Place> VmaAllocator::place_in_new_block(std::uint32_t type, const VmaRequest& request) {
    VmaPool& pool = pools_[type];
    Error last{.code = ErrorCode::kOutOfDeviceMemory,
               .message = "no block of the default sizes holds it within the budget",
               .value = request.size_bytes,
               .limit = std::min(pool.preferred_block_bytes(), free_of(type))};
    if (!pool.fits_a_block(request.size_bytes) || free_of(type) < request.size_bytes) return fail(std::move(last));
    for (const std::uint64_t bytes : pool.new_block_sizes(request.size_bytes)) {
        if (bytes > free_of(type)) continue;
        const std::uint64_t block = next_block_;
        if (Status taken = blocks_.take(block, type, bytes); !taken) {
            last = std::move(taken.error());
            continue;
        }
        ++next_block_;
        reserved_of(type) += bytes;
        if (const auto place = pool.allocate_in_new_block(block, bytes, request)) return *place;
        return fail(ErrorCode::kOutOfDeviceMemory, "an empty block did not hold the request");
    }
    return fail(std::move(last));
}

void VmaAllocator::free(const Place& place) {
    const std::uint32_t type = place.memory_type;
    if (!place.in_block) {
        reserved_of(type) -= place.size_bytes;
        return;
    }
    const auto block = pools_[type].free(*place.in_block, reserved_of(type) >= budget_of(type));
    if (!block) return;
    blocks_.give_back(block->block, type, block->size_bytes);
    reserved_of(type) -= block->size_bytes;
}

void VmaAllocator::give_back_blocks() {
    for (std::uint32_t type = 0; type < pools_.size(); ++type) {
        for (const auto& block : pools_[type].blocks()) blocks_.give_back(block.block, type, block.size_bytes);
    }
    pools_.clear();
}

}  // namespace heapwright::policy
