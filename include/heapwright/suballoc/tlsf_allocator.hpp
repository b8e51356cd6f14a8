// TlsfAllocator: the general suballocator. Two-level size bins over 64-bit sizes; allocate and free take constant time
// in the worst case, and touch no memory but their own flat arrays.
// Guarantees: no overlap; offsets are multiples of the alignment asked for (checked against each candidate range, not
// paid for by padding the request); neighbouring free ranges are always one; an empty block gives its whole capacity
// for any size; a request whose size is at most the begin of a filled bin (alignment 1) never fails.
// A request fails with kExhausted though a range would hold it only if that range hides behind kDeepProbe others of
// the request's own bin (or, when the alignment exceeds the granule, of the bins above).
// Where a range is larger than the request, large requests take its end and small ones its begin, so that like lies by
// like; where every size has a bin of its own (descriptors), what is left over borders the smaller neighbour.
// Units: the block's (bytes, descriptors); sizes and offsets are multiples of the granule. Owns offsets only.
// Not thread-safe (see LockedSuballocator). Errors: create() by value, the rest by enum.
// Source: Masmano et al. 2004 (TLSF), with best of a few in the bin.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "heapwright/core/result.hpp"
#include "heapwright/suballoc/detail/range_table.hpp"
#include "heapwright/suballoc/detail/size_bins.hpp"
#include "heapwright/suballoc/figures.hpp"
#include "heapwright/suballoc/suballocation.hpp"

namespace heapwright::suballoc {

struct TlsfOptions {
    std::uint64_t capacity = 0;           // rounded down to a multiple of the granule
    std::uint64_t granule = 1;            // power of two, at most 2^30
    std::uint32_t reserved_ranges = 256;  // ranges (free and used) that fit before the arrays grow
};

class TlsfAllocator {
public:
    [[nodiscard]] static Result<TlsfAllocator> create(const TlsfOptions& options);

    [[nodiscard]] AllocateResult allocate(std::uint64_t size, std::uint64_t alignment = 1);
    // The size of the range that allocate() would take it from now, 0 when it would fail. With an alignment above the
    // granule, and more ranges in the way than are tried one by one, the size may be that of another that would do.
    [[nodiscard]] std::uint64_t fit(std::uint64_t size, std::uint64_t alignment = 1) const;
    // The bins of free ranges that a request can be taken from in a block of that granule (size and alignment not 0):
    // below `first` every range is too small, from `certain` on every range holds it, whatever its offset.
    struct BinsFor {
        std::uint32_t first = 0;
        std::uint32_t certain = 0;
    };
    [[nodiscard]] static BinsFor bins_for(std::uint64_t size, std::uint64_t alignment, std::uint64_t granule);
    // Whether allocate(), with an alignment of the granule at most, takes it from a range of the request's own bin. It
    // looks at the few ranges that allocate() compares first; in a block without a larger range allocate() looks at
    // more of them, and may serve what this denies.
    [[nodiscard]] bool fits_in_own_bin(std::uint64_t size) const;
    // The bin of a free range of that size, not 0.
    [[nodiscard]] static std::uint32_t bin_of_range(std::uint64_t size, std::uint64_t granule);
    // The bins that hold a free range, as bits from the lowest on, and that of one that is in none (kNoBin: none is).
    static constexpr std::uint32_t kNoBin = detail::BinBitmap::kNoBin;
    [[nodiscard]] std::span<const std::uint64_t> filled_bins() const {
        return filled_bins_.words(static_cast<std::uint32_t>(bin_heads_.size()));
    }
    [[nodiscard]] std::uint32_t loose_bin() const {
        return loose_ == detail::RangeTable::kBinEnd ? kNoBin : detail::bin_of(ranges_[loose_].size);
    }
    // Takes exactly [offset, offset + size), both multiples of the granule, where it is free: the destination of a
    // planned move. Walks the ranges in order, so not for the hot path.
    [[nodiscard]] AllocateResult allocate_at(std::uint64_t offset, std::uint64_t size);
    FreeOutcome free(SuballocationHandle handle);
    void reset();  // frees everything; handles given out before are void

    [[nodiscard]] std::uint64_t capacity() const { return ranges_.granules() << granule_shift_; }
    [[nodiscard]] std::uint64_t granule() const { return 1ull << granule_shift_; }
    [[nodiscard]] std::uint64_t used() const { return used_granules_ << granule_shift_; }
    [[nodiscard]] std::uint64_t suballocation_count() const { return used_count_; }
    [[nodiscard]] bool is_empty() const { return used_count_ == 0; }

    // What a live handle stands for; nothing for a stale one.
    [[nodiscard]] tl::expected<Suballocation, FreeOutcome> find(SuballocationHandle handle) const;
    // The largest free range, from the highest filled bin alone.
    [[nodiscard]] std::uint64_t largest_free_range() const;
    [[nodiscard]] Figures figures() const;  // one pass over the free ranges
    [[nodiscard]] Status validate_invariants() const;

    // visit(offset, size, is_used) over all ranges in order of offset.
    template <class Visit>
    void for_each_range(Visit&& visit) const {
        for (std::uint32_t index = ranges_.first(); index != detail::RangeTable::kBorder; index = ranges_[index].after)
            visit(ranges_[index].offset << granule_shift_, ranges_[index].size << granule_shift_,
                  ranges_[index].is_used());
    }
    // visit(Suballocation) over what is live, in order of offset.
    template <class Visit>
    void for_each_suballocation(Visit&& visit) const {
        for (std::uint32_t index = ranges_.first(); index != detail::RangeTable::kBorder; index = ranges_[index].after)
            if (ranges_[index].is_used()) visit(suballocation_at(index));
    }

private:
    struct Fit {
        std::uint32_t node;  // kBinEnd: none
        std::uint64_t lead;  // granules before the aligned offset
    };

    TlsfAllocator(std::uint64_t granules, std::uint32_t granule_shift, std::uint32_t reserved_ranges);

    [[nodiscard]] std::uint32_t find_range(std::uint64_t size, bool careful) const;
    [[nodiscard]] std::uint32_t find_exact_range(std::uint32_t bin) const;
    [[nodiscard]] std::uint32_t find_range_to_cut(std::uint32_t bin) const;
    // Little is left and all bins are of one size: where a range is taken then decides whether the next request fits.
    [[nodiscard]] bool places_carefully() const { return used_granules_ > careful_above_; }
    void note_largest(std::uint64_t granules);
    [[nodiscard]] std::uint64_t neighbours_size(std::uint32_t index) const {
        return ranges_[ranges_[index].before].size + ranges_[ranges_[index].after].size;
    }
    [[nodiscard]] bool takes_end(const detail::RangeNode& node, std::uint64_t size, bool careful) const;
    // Granules. Apart from allocate(), whose common path then saves fewer registers.
    [[nodiscard]] AllocateResult take_aligned(std::uint64_t size, std::uint64_t alignment, std::uint64_t waste);
    [[nodiscard]] Fit find_aligned_range(std::uint64_t size, std::uint64_t alignment) const;
    [[nodiscard]] std::uint32_t probe_deep(std::uint64_t size) const;
    [[nodiscard]] Fit probe_deep_aligned(std::uint64_t size, std::uint64_t alignment) const;
    void add_to_bin(std::uint32_t index);
    void remove_from_bin(std::uint32_t index);
    void remove_free(std::uint32_t index);
    void change_bin(std::uint32_t index, std::uint64_t new_size);
    void settle_loose();
    // The loose range is the best for a request when the bins offer `bin`. With none loose the size is 0: never.
    [[nodiscard]] bool loose_is_best(std::uint64_t size, std::uint32_t bin) const {
        const std::uint64_t loose_size = ranges_[loose_].size;
        return loose_size >= size && detail::bin_of(loose_size) <= bin;
    }
    void resize_free(std::uint32_t index, std::uint64_t new_size);
    [[nodiscard]] AllocateResult commit(std::uint32_t index, std::uint64_t lead, std::uint64_t size,
                                        std::uint64_t waste);
    [[nodiscard]] Suballocation suballocation_at(std::uint32_t index) const {
        const detail::RangeNode& node = ranges_[index];
        return {node.offset << granule_shift_, node.size << granule_shift_, {index, node.generation()}};
    }

    std::uint32_t granule_shift_;
    detail::BinBitmap filled_bins_;
    std::vector<std::uint32_t> bin_heads_;
    detail::RangeTable ranges_;
    // A free range larger than any request that grows free by free, or shrinks request by request, would change bins
    // all the time: from the second change in a row on it is loose, in no bin, until it is small or another one takes
    // over.
    std::uint32_t loose_ = detail::RangeTable::kBinEnd;    // kBinEnd: none
    std::uint32_t changed_ = detail::RangeTable::kBinEnd;  // the range that changed bins last; it may be gone
    // Each count stands apart from the others: side by side free() would read two of them at once, which waits for the
    // single writes of the allocation before it.
    std::uint64_t used_granules_ = 0;
    std::uint64_t careful_above_ = 0;  // granules in use; follows from the largest request, as end_above_ does
    std::uint64_t used_count_ = 0;
    std::uint64_t largest_request_ = 0;  // granules, ever
    std::uint64_t waste_ = 0;
    std::uint64_t end_above_ = 0;  // granules of a request that takes the end of its range
};

}  // namespace heapwright::suballoc
