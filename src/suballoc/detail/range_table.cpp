#include "heapwright/suballoc/detail/range_table.hpp"

#include <algorithm>
#include <bit>
#include <new>

#include <fmt/format.h>

#include "core/checked.hpp"

namespace heapwright::suballoc::detail {

Result<Granules> to_granules(std::uint64_t capacity, std::uint64_t granule, std::uint32_t reserved_ranges) {
    constexpr std::uint64_t kMaxGranule = 1ull << 30;
    constexpr std::uint64_t kMaxGranules = 1ull << 62;
    constexpr std::uint32_t kMaxReserved = 1u << 30;
    if (!is_power_of_two(granule) || granule > kMaxGranule)
        return fail({.code = ErrorCode::kInvalidArgument,
                     .message = "the granule is no power of two up to 2^30",
                     .value = granule,
                     .limit = kMaxGranule});
    const auto shift = static_cast<std::uint32_t>(std::countr_zero(granule));
    const std::uint64_t count = capacity >> shift;
    if (count == 0)
        return fail({.code = ErrorCode::kInvalidArgument,
                     .message = fmt::format("the capacity holds no granule of {}", granule),
                     .value = capacity});
    if (count > kMaxGranules)
        return fail({.code = ErrorCode::kOutOfRange,
                     .message = "the capacity is above 2^62 granules",
                     .value = count,
                     .limit = kMaxGranules});
    if (reserved_ranges > kMaxReserved)
        return fail({.code = ErrorCode::kOutOfRange,
                     .message = "too many ranges to reserve",
                     .value = reserved_ranges,
                     .limit = kMaxReserved});
    return Granules{count, shift};
}

tl::expected<GranulePlace, AllocateFailure> to_place(std::uint64_t offset, std::uint64_t size, std::uint32_t shift,
                                                     std::uint64_t granules) {
    const std::uint64_t mask = (1ull << shift) - 1;
    if (size == 0) return tl::unexpected(AllocateFailure::kZeroSize);
    if (((offset | size) & mask) != 0) return tl::unexpected(AllocateFailure::kBadAlignment);
    const std::uint64_t begin = offset >> shift;
    const std::uint64_t count = size >> shift;
    if (count > granules || begin > granules - count) return tl::unexpected(AllocateFailure::kTooLarge);
    return GranulePlace{begin, begin + count};
}

RangeTable::RangeTable(const RangeTable& other)
    : granules_(other.granules_),
      written_ranges_(other.written_ranges_),
      spare_(other.spare_),
      generation_(other.generation_) {
    make_room(other.capacity_);
    std::copy_n(other.nodes_.get(), kFirst + written_ranges_, nodes_.get());
}

void RangeTable::reset() {
    spare_ = kBorder;
    // The generations of handles that were given out go on: a node that is not used equals none.
    written_ranges_ = 1;
    nodes_[kBorder] = {.before = kFirst, .after = kFirst, .link_or_generation = RangeNode::kUsedBit};
    nodes_[kBinEnd] = {};
    nodes_[kFirst] = {.offset = 0,
                      .size = granules_,
                      .before = kBorder,
                      .after = kBorder,
                      .link_or_waste = kBinEnd,
                      .link_or_generation = kBinEnd};
}

void RangeTable::reserve(std::uint32_t node_count) {
    make_room(std::max<std::uint32_t>(node_count, 16) + kFirst);
}

void RangeTable::make_room(std::uint32_t nodes) {
    if (nodes <= capacity_) return;
    void* const moved = std::realloc(nodes_.get(), nodes * sizeof(RangeNode));
    if (moved == nullptr) throw std::bad_alloc();
    static_cast<void>(nodes_.release());
    nodes_.reset(static_cast<RangeNode*>(moved));
    capacity_ = nodes;
}

std::uint32_t RangeTable::take_fresh() {
    if (kFirst + written_ranges_ == capacity_) make_room(capacity_ * 2);
    return kFirst + written_ranges_++;
}

std::uint32_t RangeTable::find_free(std::uint64_t begin, std::uint64_t end) const {
    for (std::uint32_t index = first(); index != kBorder && nodes_[index].offset <= begin; index = nodes_[index].after)
        if (nodes_[index].offset + nodes_[index].size >= end) return nodes_[index].is_used() ? kBorder : index;
    return kBorder;
}

Status RangeTable::validate(std::uint64_t used_granules, std::uint64_t used_count, std::uint64_t waste) const {
    const auto broken = [](std::string what) { return fail(ErrorCode::kInvariantBroken, std::move(what)); };
    std::uint64_t offset = 0;
    std::uint64_t used = 0;
    std::uint64_t count = 0;
    std::uint64_t wasted = 0;
    std::uint32_t previous = kBorder;
    for (std::uint32_t index = first(); index != kBorder; previous = index, index = nodes_[index].after) {
        const RangeNode& node = nodes_[index];
        if (node.offset != offset)
            return broken(
                fmt::format("range {} begins at {}, the one before it ends at {}", index, node.offset, offset));
        if (node.size == 0 || node.size > granules_ - offset)
            return broken(fmt::format("range {} at {} has size {} of {}", index, offset, node.size, granules_));
        if (node.before != previous)
            return broken(fmt::format("range {} names {} before it, not {}", index, node.before, previous));
        if (node.is_used()) {
            used += node.size;
            ++count;
            wasted += node.link_or_waste;
        } else if (previous != kBorder && !nodes_[previous].is_used()) {
            return broken(fmt::format("ranges {} and {} are both free and not merged", previous, index));
        }
        offset += node.size;
    }
    if (offset != granules_) return broken(fmt::format("the ranges end at {} of {}", offset, granules_));
    if (nodes_[kBorder].before != previous) return broken("the border does not name the last range");
    if (used != used_granules) return broken(fmt::format("{} granules are used, {} counted", used, used_granules));
    if (count != used_count) return broken(fmt::format("{} ranges are used, {} counted", count, used_count));
    if (wasted != waste) return broken(fmt::format("{} units are wasted, {} counted", wasted, waste));
    return {};
}

}  // namespace heapwright::suballoc::detail
