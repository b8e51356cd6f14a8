#include "heapwright/suballoc/tlsf_allocator.hpp"

#include <algorithm>
#include <bit>

#include <fmt/format.h>

#include "core/checked.hpp"
#include "core/rollback.hpp"

namespace heapwright::suballoc {

using detail::bin_begin;
using detail::bin_of;
using detail::BinBitmap;
using detail::RangeNode;
using detail::RangeTable;

namespace {

constexpr std::uint32_t kProbe = 4;          // candidates compared in the request's own bin
constexpr std::uint32_t kExactProbe = 8;     // candidates compared where all of a bin are of one size
constexpr std::uint32_t kAlignedProbe = 16;  // candidates tried before the padded size is asked for
constexpr std::uint32_t kDeepProbe = 64;     // candidates tried before a request is refused
// Requests above this part of the largest seen take the end of a range. Found by trial on ramps of both kinds.
constexpr std::uint32_t kEndShift = 6;
// Neighbours of more than this part of the largest request are large.
constexpr std::uint64_t kLargeNeighbours = 100;
constexpr std::uint64_t kParts = 64;
constexpr std::uint64_t kScarcePart = 10;    // less than this part of the space is left
constexpr std::uint64_t kWideSpread = 1024;  // granules: where the largest request is smaller, all take the begin

}  // namespace

Result<TlsfAllocator> TlsfAllocator::create(const TlsfOptions& options) {
    HEAPWRIGHT_ASSIGN(const detail::Granules granules,
                      detail::to_granules(options.capacity, options.granule, options.reserved_ranges));
    return TlsfAllocator(granules.count, granules.shift, options.reserved_ranges);
}

TlsfAllocator::TlsfAllocator(std::uint64_t granules, std::uint32_t granule_shift, std::uint32_t reserved_ranges)
    : granule_shift_(granule_shift),
      bin_heads_(bin_of(granules) + 1, RangeTable::kBinEnd),
      ranges_(granules, reserved_ranges) {
    note_largest(0);
    add_to_bin(RangeTable::kFirst);
}

void TlsfAllocator::note_largest(std::uint64_t granules) {
    largest_request_ = granules;
    const std::uint64_t all = ranges_.granules();
    careful_above_ = granules <= detail::kExactBins ? all - all / kScarcePart : all;
    end_above_ = granules > kWideSpread ? granules >> kEndShift : all;
}

void TlsfAllocator::reset() {
    std::fill(bin_heads_.begin(), bin_heads_.end(), RangeTable::kBinEnd);
    filled_bins_.reset();
    ranges_.reset();
    used_granules_ = 0;
    used_count_ = 0;
    waste_ = 0;
    note_largest(0);
    loose_ = changed_ = RangeTable::kBinEnd;
    add_to_bin(RangeTable::kFirst);
}

inline void TlsfAllocator::add_to_bin(std::uint32_t index) {
    const std::uint32_t bin = bin_of(ranges_[index].size);
    const std::uint32_t head = bin_heads_[bin];
    filled_bins_.set(bin);
    // Ranges between small neighbours queue behind the head: see find_exact_range().
    if (head != RangeTable::kBinEnd && places_carefully() &&
        neighbours_size(index) < largest_request_ * kLargeNeighbours / kParts) {
        const std::uint32_t next = ranges_[head].link_or_generation;
        ranges_[index].link_or_waste = head;
        ranges_[index].link_or_generation = next;
        ranges_[next].link_or_waste = index;
        ranges_[head].link_or_generation = index;
        return;
    }
    ranges_[index].link_or_waste = RangeTable::kBinEnd;
    ranges_[index].link_or_generation = head;
    ranges_[head].link_or_waste = index;
    bin_heads_[bin] = index;
}

inline void TlsfAllocator::remove_from_bin(std::uint32_t index) {
    const std::uint32_t previous = ranges_[index].link_or_waste;
    const std::uint32_t next = ranges_[index].link_or_generation;
    ranges_[next].link_or_waste = previous;
    if (previous != RangeTable::kBinEnd) {
        ranges_[previous].link_or_generation = next;
        return;
    }
    const std::uint32_t bin = bin_of(ranges_[index].size);
    bin_heads_[bin] = next;
    if (next == RangeTable::kBinEnd) filled_bins_.clear(bin);
}

inline void TlsfAllocator::remove_free(std::uint32_t index) {
    if (index == loose_)
        loose_ = RangeTable::kBinEnd;
    else
        remove_from_bin(index);
}

inline void TlsfAllocator::resize_free(std::uint32_t index, std::uint64_t new_size) {
    if (index == loose_) {
        ranges_[index].size = new_size;
        if (new_size <= largest_request_) settle_loose();
    } else if (detail::are_of_one_bin(ranges_[index].size, new_size)) {
        ranges_[index].size = new_size;
    } else {
        change_bin(index, new_size);
    }
}

void TlsfAllocator::change_bin(std::uint32_t index, std::uint64_t new_size) {
    remove_from_bin(index);
    ranges_[index].size = new_size;
    if (index != changed_ || new_size <= largest_request_) {
        changed_ = index;
        return add_to_bin(index);
    }
    settle_loose();
    loose_ = index;
}

void TlsfAllocator::settle_loose() {
    if (loose_ == RangeTable::kBinEnd) return;
    add_to_bin(loose_);
    loose_ = RangeTable::kBinEnd;
}

// Small neighbours soon make a small range larger when they go, so the ranges between large ones are taken first.
inline std::uint32_t TlsfAllocator::find_exact_range(std::uint32_t bin) const {
    std::uint32_t best = bin_heads_[bin];
    std::uint64_t best_neighbours = 0;
    std::uint32_t index = best;
    for (std::uint32_t probe = 0; probe < kExactProbe && index != RangeTable::kBinEnd; ++probe) {
        const std::uint64_t neighbours = neighbours_size(index);
        if (neighbours > best_neighbours) {
            best = index;
            best_neighbours = neighbours;
        }
        index = ranges_[index].link_or_generation;
    }
    return best;
}

// What is left of a range that is cut grows with the neighbours that go, so the one between small ones is cut.
inline std::uint32_t TlsfAllocator::find_range_to_cut(std::uint32_t bin) const {
    std::uint32_t best = bin_heads_[bin];
    std::uint64_t best_neighbour = ~0ull;
    std::uint32_t index = best;
    for (std::uint32_t probe = 0; probe < kExactProbe && index != RangeTable::kBinEnd; ++probe) {
        const RangeNode& node = ranges_[index];
        const std::uint64_t neighbour = std::max(ranges_[node.before].size, ranges_[node.after].size);
        if (neighbour < best_neighbour) {
            best = index;
            best_neighbour = neighbour;
        }
        index = node.link_or_generation;
    }
    return best;
}

inline bool TlsfAllocator::takes_end(const RangeNode& node, std::uint64_t size, bool careful) const {
    if (careful) return ranges_[node.before].size < ranges_[node.after].size;
    return size > end_above_;
}

inline std::uint32_t TlsfAllocator::find_range(std::uint64_t size, bool careful) const {
    const std::uint32_t own = bin_of(size);
    std::uint32_t bin = filled_bins_.first_from(own);
    if (careful && bin < detail::kExactBins) return bin == own ? find_exact_range(bin) : find_range_to_cut(bin);
    // Only in its own bin, and only where that spans several sizes, may a range be too small.
    if (bin == own && own >= detail::kExactBins) {
        std::uint32_t best = RangeTable::kBinEnd;
        std::uint64_t best_size = ~0ull;
        std::uint32_t index = bin_heads_[own];
        for (std::uint32_t probe = 0; probe < kProbe && index != RangeTable::kBinEnd; ++probe) {
            const RangeNode& node = ranges_[index];
            if (node.size == size) return index;  // nothing is tighter
            if (node.size > size && node.size < best_size) {
                best = index;
                best_size = node.size;
            }
            index = node.link_or_generation;
        }
        if (best != RangeTable::kBinEnd) return best;
        bin = filled_bins_.first_from(own + 1);
    }
    if (loose_ != RangeTable::kBinEnd && loose_is_best(size, bin)) return loose_;
    if (bin == BinBitmap::kNoBin) [[unlikely]]
        return probe_deep(size);
    return bin_heads_[bin];
}

// The request's own bin is the only one that may still hold it: all bins above are empty.
std::uint32_t TlsfAllocator::probe_deep(std::uint64_t size) const {
    const std::uint32_t bin = bin_of(size);
    std::uint32_t index = bin_heads_[bin];
    for (std::uint32_t probe = 0; probe < kDeepProbe && index != RangeTable::kBinEnd; ++probe) {
        if (ranges_[index].size >= size) return index;
        index = ranges_[index].link_or_generation;
    }
    return RangeTable::kBinEnd;
}

inline TlsfAllocator::Fit TlsfAllocator::find_aligned_range(std::uint64_t size, std::uint64_t alignment) const {
    std::uint32_t probes = kAlignedProbe;
    std::uint32_t bin = filled_bins_.first_from(bin_of(size));
    while (bin != BinBitmap::kNoBin) {
        std::uint32_t index = bin_heads_[bin];
        while (index != RangeTable::kBinEnd) {
            const RangeNode& node = ranges_[index];
            const std::uint64_t lead = (0 - node.offset) & (alignment - 1);
            if (lead + size <= node.size) {
                const std::uint64_t end = node.size - size;
                const bool at_end =
                    size > largest_request_ >> kEndShift && ((node.offset + end) & (alignment - 1)) == 0;
                return {index, at_end ? end : lead};
            }
            if (--probes == 0) goto padded;
            index = node.link_or_generation;
        }
        bin = filled_bins_.first_from(bin + 1);
    }
padded:
    bin = filled_bins_.first_from(bin_of(size + alignment - 2) + 1);
    if (bin == BinBitmap::kNoBin) [[unlikely]]
        return probe_deep_aligned(size, alignment);
    const std::uint32_t index = bin_heads_[bin];
    return {index, (0 - ranges_[index].offset) & (alignment - 1)};
}

TlsfAllocator::Fit TlsfAllocator::probe_deep_aligned(std::uint64_t size, std::uint64_t alignment) const {
    std::uint32_t probes = kDeepProbe;
    for (std::uint32_t bin = filled_bins_.first_from(bin_of(size)); bin != BinBitmap::kNoBin;
         bin = filled_bins_.first_from(bin + 1)) {
        for (std::uint32_t index = bin_heads_[bin]; index != RangeTable::kBinEnd;
             index = ranges_[index].link_or_generation) {
            const std::uint64_t lead = (0 - ranges_[index].offset) & (alignment - 1);
            if (lead + size <= ranges_[index].size) return {index, lead};
            if (--probes == 0) return {RangeTable::kBinEnd, 0};
        }
    }
    return {RangeTable::kBinEnd, 0};
}

inline AllocateResult TlsfAllocator::commit(std::uint32_t index, std::uint64_t lead, std::uint64_t size,
                                            std::uint64_t waste) {
    const std::uint64_t tail = ranges_[index].size - lead - size;
    const std::uint64_t offset = ranges_[index].offset + lead;
    std::uint32_t used = index;
    if (lead == 0 && tail == 0) {
        remove_free(index);
    } else if (lead == 0) {
        // The free range keeps its node and gives its front, so that mostly not even its bin changes.
        used = ranges_.take();
        ranges_[used].offset = offset;
        ranges_[used].size = size;
        ranges_.link_before(used, index);
        ranges_[index].offset = offset + size;
        resize_free(index, tail);
    } else {
        // Both nodes before anything changes: where host memory runs out nothing has.
        used = ranges_.take();
        std::uint32_t rest = RangeTable::kBorder;
        if (tail != 0) {
            Rollback taken([&] { ranges_.give_back(used); });
            rest = ranges_.take();
            taken.keep();
        }
        ranges_[used].offset = offset;
        ranges_[used].size = size;
        ranges_.link_before(used, ranges_[index].after);
        resize_free(index, lead);
        if (tail != 0) {
            ranges_[rest].offset = offset + size;
            ranges_[rest].size = tail;
            ranges_.link_before(rest, ranges_[used].after);
            add_to_bin(rest);
        }
    }
    used_granules_ += size;
    ++used_count_;
    waste_ += waste;
    const SuballocationHandle handle = ranges_.mark_used(used, waste);
    return Suballocation{offset << granule_shift_, size << granule_shift_, handle};
}

AllocateResult TlsfAllocator::allocate(std::uint64_t size, std::uint64_t alignment) {
    const std::uint64_t last = (size - 1) >> granule_shift_;  // of a size of 0: beyond every block
    if (last >= ranges_.granules()) [[unlikely]]
        return tl::unexpected(size == 0 ? AllocateFailure::kZeroSize : AllocateFailure::kTooLarge);
    const std::uint64_t granules = last + 1;
    if (!is_alignment(alignment)) [[unlikely]]
        return tl::unexpected(AllocateFailure::kBadAlignment);
    const std::uint64_t waste = (granules << granule_shift_) - size;
    if (granules > largest_request_) [[unlikely]]
        note_largest(granules);
    if (const std::uint64_t aligned = alignment >> granule_shift_; aligned > 1)
        return take_aligned(granules, aligned, waste);
    const bool careful = places_carefully();
    const std::uint32_t index = find_range(granules, careful);
    if (index == RangeTable::kBinEnd) [[unlikely]]
        return tl::unexpected(AllocateFailure::kExhausted);
    const RangeNode& node = ranges_[index];
    // Two calls, so that the common one is compiled without what only a lead needs.
    return takes_end(node, granules, careful) ? commit(index, node.size - granules, granules, waste)
                                              : commit(index, 0, granules, waste);
}

AllocateResult TlsfAllocator::take_aligned(std::uint64_t size, std::uint64_t alignment, std::uint64_t waste) {
    if (loose_ != RangeTable::kBinEnd) settle_loose();
    // Beyond the block's size every alignment means offset 0; the bound keeps sums below 2^64.
    if (alignment > ranges_.granules()) [[unlikely]]
        alignment = std::bit_ceil(ranges_.granules());
    const Fit fit = find_aligned_range(size, alignment);
    if (fit.node == RangeTable::kBinEnd) [[unlikely]]
        return tl::unexpected(AllocateFailure::kExhausted);
    return commit(fit.node, fit.lead, size, waste);
}

std::uint64_t TlsfAllocator::fit(std::uint64_t size, std::uint64_t alignment) const {
    if (size - 1 >= capacity() || !is_alignment(alignment)) return 0;
    const std::uint64_t granules = ((size - 1) >> granule_shift_) + 1;
    const std::uint64_t aligned = alignment >> granule_shift_;
    if (aligned <= 1) {
        const std::uint32_t index = find_range(granules, places_carefully());
        return index == RangeTable::kBinEnd ? 0 : ranges_[index].size << granule_shift_;
    }
    const std::uint64_t bounded = std::min(aligned, std::bit_ceil(ranges_.granules()));
    const std::uint32_t index = find_aligned_range(granules, bounded).node;
    const std::uint64_t found = index == RangeTable::kBinEnd ? 0 : ranges_[index].size;
    // allocate() settles the loose range first, and then meets it before those of higher bins.
    const RangeNode& loose = ranges_[loose_];
    const bool takes_loose = ((0 - loose.offset) & (bounded - 1)) + granules <= loose.size &&
                             (found == 0 || bin_of(loose.size) <= bin_of(found));
    return (takes_loose ? loose.size : found) << granule_shift_;
}

TlsfAllocator::BinsFor TlsfAllocator::bins_for(std::uint64_t size, std::uint64_t alignment, std::uint64_t granule) {
    const auto shift = static_cast<std::uint32_t>(std::countr_zero(granule));
    const std::uint64_t granules = ((size - 1) >> shift) + 1;
    const std::uint64_t aligned = alignment >> shift;
    const std::uint32_t first = bin_of(granules);
    if (aligned <= 1) return {.first = first, .certain = first < detail::kExactBins ? first : first + 1};
    const std::uint64_t padded = granules + aligned - 2;
    return {.first = first, .certain = padded < granules ? kNoBin : bin_of(padded) + 1};
}

bool TlsfAllocator::fits_in_own_bin(std::uint64_t size) const {
    if (size - 1 >= capacity()) return false;
    const std::uint64_t granules = ((size - 1) >> granule_shift_) + 1;
    const std::uint32_t own = bin_of(granules);
    if (loose_ != RangeTable::kBinEnd && loose_is_best(granules, own)) return true;
    std::uint32_t index = bin_heads_[own];
    for (std::uint32_t probe = 0; probe < kProbe && index != RangeTable::kBinEnd; ++probe) {
        if (ranges_[index].size >= granules) return true;
        index = ranges_[index].link_or_generation;
    }
    return false;
}

std::uint32_t TlsfAllocator::bin_of_range(std::uint64_t size, std::uint64_t granule) {
    return bin_of(size >> std::countr_zero(granule));
}

AllocateResult TlsfAllocator::allocate_at(std::uint64_t offset, std::uint64_t size) {
    const auto place = detail::to_place(offset, size, granule_shift_, ranges_.granules());
    if (!place) return tl::unexpected(place.error());
    const std::uint32_t index = ranges_.find_free(place->begin, place->end);
    if (index == RangeTable::kBorder) return tl::unexpected(AllocateFailure::kExhausted);
    return commit(index, place->begin - ranges_[index].offset, place->end - place->begin, 0);
}

FreeOutcome TlsfAllocator::free(SuballocationHandle handle) {
    if (!ranges_.is_live(handle)) [[unlikely]]
        return FreeOutcome::kInvalidHandle;
    const std::uint32_t index = handle.index;
    RangeNode& node = ranges_[index];
    used_granules_ -= node.size;
    --used_count_;
    waste_ -= node.link_or_waste;
    const std::uint32_t before = node.before;
    const std::uint32_t after = node.after;
    const bool merge_before = !ranges_[before].is_used();
    const bool merge_after = !ranges_[after].is_used();
    if (merge_before) {
        std::uint64_t size = ranges_[before].size + node.size;
        if (merge_after) {
            size += ranges_[after].size;
            remove_free(after);
            ranges_.unlink(after);
            ranges_.give_back(after);
        }
        ranges_.unlink(index);
        ranges_.give_back(index);
        resize_free(before, size);
    } else if (merge_after) {
        ranges_[after].offset = node.offset;
        const std::uint64_t size = ranges_[after].size + node.size;
        ranges_.unlink(index);
        ranges_.give_back(index);
        resize_free(after, size);
    } else {
        add_to_bin(index);
    }
    return FreeOutcome::kFreed;
}

tl::expected<Suballocation, FreeOutcome> TlsfAllocator::find(SuballocationHandle handle) const {
    if (!ranges_.is_live(handle)) return tl::unexpected(FreeOutcome::kInvalidHandle);
    return suballocation_at(handle.index);
}

std::uint64_t TlsfAllocator::largest_free_range() const {
    std::uint64_t largest = 0;
    for (std::uint32_t bin = static_cast<std::uint32_t>(bin_heads_.size()); bin-- > 0 && largest == 0;)
        for (std::uint32_t index = bin_heads_[bin]; index != RangeTable::kBinEnd;
             index = ranges_[index].link_or_generation)
            largest = std::max(largest, ranges_[index].size);
    return std::max(largest, ranges_[loose_].size) << granule_shift_;
}

Figures TlsfAllocator::figures() const {
    Figures figures;
    figures.capacity = capacity();
    figures.used = used();
    figures.suballocation_count = used_count_;
    figures.internal_waste = waste_;
    if (loose_ != RangeTable::kBinEnd) figures.add_free_range(ranges_[loose_].size << granule_shift_);
    for (std::uint32_t bin = filled_bins_.first_from(0); bin != BinBitmap::kNoBin;
         bin = filled_bins_.first_from(bin + 1))
        for (std::uint32_t index = bin_heads_[bin]; index != RangeTable::kBinEnd;
             index = ranges_[index].link_or_generation)
            figures.add_free_range(ranges_[index].size << granule_shift_);
    return figures;
}

Status TlsfAllocator::validate_invariants() const {
    HEAPWRIGHT_TRY(ranges_.validate(used_granules_, used_count_, waste_));
    std::uint64_t free_in_order = 0;
    for (std::uint32_t index = ranges_.first(); index != RangeTable::kBorder; index = ranges_[index].after)
        free_in_order += ranges_[index].is_used() ? 0u : 1u;
    std::uint64_t free_in_bins = loose_ == RangeTable::kBinEnd ? 0 : 1;
    if (ranges_[loose_].is_used()) return fail(ErrorCode::kInvariantBroken, "the loose range is not free");
    for (std::uint32_t bin = 0; bin < bin_heads_.size(); ++bin) {
        if (filled_bins_.test(bin) != (bin_heads_[bin] != RangeTable::kBinEnd))
            return fail(ErrorCode::kInvariantBroken, fmt::format("the bitmap is wrong about bin {}", bin));
        std::uint32_t previous = RangeTable::kBinEnd;
        for (std::uint32_t index = bin_heads_[bin]; index != RangeTable::kBinEnd;
             previous = index, index = ranges_[index].link_or_generation) {
            const RangeNode& node = ranges_[index];
            if (index == loose_ || node.is_used() || bin_of(node.size) != bin || node.link_or_waste != previous)
                return fail(ErrorCode::kInvariantBroken,
                            fmt::format("range {} does not belong where it is in bin {}", index, bin));
            if (++free_in_bins > free_in_order)
                return fail(ErrorCode::kInvariantBroken, "the bins hold more ranges than are free");
        }
    }
    if (free_in_bins != free_in_order)
        return fail({.code = ErrorCode::kInvariantBroken,
                     .message = "the bins do not hold all free ranges",
                     .value = free_in_bins,
                     .limit = free_in_order});
    return {};
}

}  // namespace heapwright::suballoc
