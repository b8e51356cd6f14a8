// The offsets of one chunk, divided by the suballocator that the bucket's policy names.
// Guarantees: those of the suballocator chosen (no overlap, true alignment, inside the capacity); sizes and offsets are
// multiples of the granule whatever the kind, so that what may share a page is decided by the granule alone.
// When space comes back: kTlsf, kFixedBlocks and kSlots at once; kLinear when everything above it is freed; kRing
// frame by frame, oldest first, each when the last of its frame is freed. All kinds start afresh when they are empty.
// Sizes in bytes. Move-only value; not thread-safe: the bucket's lock covers it. Errors: create() says why a kind
// cannot serve.
#pragma once

#include <cstdint>
#include <deque>
#include <utility>

#include "heapwright/core/result.hpp"
#include "heapwright/model/policy.hpp"
#include "heapwright/suballoc/any_suballocator.hpp"

namespace heapwright::pool {

class ChunkSpace {
public:
    struct Options {
        model::SuballocatorKind kind = model::SuballocatorKind::kTlsf;
        std::uint64_t capacity_bytes = 0;
        std::uint64_t granule_bytes = 1;    // power of two; kSlots: the slot
        std::uint64_t alignment_bytes = 1;  // S, power of two; kFixedBlocks: the block, where the granule is smaller
    };

    // Errors: kInvalidArgument (sizes that the suballocator cannot take).
    [[nodiscard]] static Result<ChunkSpace> create(const Options& options);

    [[nodiscard]] suballoc::AllocateResult allocate(std::uint64_t size_bytes, std::uint64_t alignment_bytes);
    // The size of the free range that the request would be taken from; 0 when it certainly does not fit.
    [[nodiscard]] std::uint64_t fit_bytes(std::uint64_t size_bytes, std::uint64_t alignment_bytes) const {
        return ranges_.fit(size_bytes, alignment_bytes);
    }
    // The free ranges by size bins; null of kinds that keep none.
    [[nodiscard]] const suballoc::TlsfAllocator* bins() const { return ranges_.get_if<suballoc::TlsfAllocator>(); }
    // Exactly that range, where it is free: kTlsf and kFixedBlocks alone.
    [[nodiscard]] suballoc::AllocateResult allocate_at(std::uint64_t offset_bytes, std::uint64_t size_bytes);
    // kFreed, kDeferred (accepted, the space comes back later) or kInvalidHandle (nothing changed).
    [[nodiscard]] suballoc::FreeOutcome free(suballoc::SuballocationHandle handle);
    // kRing: what was allocated since the last call is one frame.
    void end_frame();

    [[nodiscard]] std::uint64_t capacity_bytes() const { return ranges_.capacity(); }
    [[nodiscard]] std::uint64_t used_bytes() const { return ranges_.used(); }
    [[nodiscard]] std::uint64_t free_bytes() const { return ranges_.capacity() - ranges_.used(); }
    [[nodiscard]] std::uint64_t live_count() const { return live_; }
    [[nodiscard]] bool is_empty() const { return live_ == 0; }
    [[nodiscard]] suballoc::Figures figures() const { return ranges_.figures(); }
    [[nodiscard]] std::vector<double> occupancy_map(std::size_t cell_count) const {
        return ranges_.occupancy_map(cell_count);
    }
    [[nodiscard]] Status validate_invariants() const;

    // visit(offset, size, is_used) in order of offset.
    template <class Visit>
    void for_each_range(Visit&& visit) const {
        ranges_.for_each_range(std::forward<Visit>(visit));
    }

private:
    struct RingFrame {
        suballoc::SuballocationHandle handle;  // that of every suballocation in it
        std::uint64_t live = 0;
        TimelineValue closed_as;  // 0: open
    };

    ChunkSpace(suballoc::AnySuballocator ranges, std::uint64_t granule_bytes, bool rounds_here)
        : ranges_(std::move(ranges)), granule_bytes_(granule_bytes), rounds_here_(rounds_here) {}

    [[nodiscard]] suballoc::FreeOutcome free_from_ring(suballoc::SuballocationHandle handle);

    suballoc::AnySuballocator ranges_;
    std::uint64_t granule_bytes_;
    bool rounds_here_;  // the suballocator has no granule of its own
    std::uint64_t live_ = 0;
    std::deque<RingFrame> ring_frames_;  // oldest first
    std::uint64_t closed_frames_ = 0;
};

}  // namespace heapwright::pool
