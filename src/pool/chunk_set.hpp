// The chunks of one bucket, over any memory: which one takes a request, what a new one takes, how long an empty one is
// kept, each as the contract says (contract/chunks.hpp). The memory pool's bucket
// and the advisor's simulation are this set over a device's memory and over numbers.
// Guarantees: a placement overlaps no other, is aligned, and lies inside its chunk; a failure changes nothing but what
// the memory says of itself, also where host memory runs out (std::bad_alloc). free() takes host memory in kFixedBlocks
// alone, which may lose the range where there is none, and age() in kRing alone.
// Ownership: the policy and the memory outlive the set; what it still holds when it goes is its owner's to give back
// (for_each_piece). Sizes in bytes. Not thread-safe. Errors: see allocate(). Beside it: the offsets of one chunk, and
// where a set's memory comes from.
#pragma once

#include <cstdint>
#include <deque>
#include <optional>
#include <type_traits>
#include <utility>
#include <vector>

#include "contract/chunks.hpp"
#include "device/memory_source.hpp"
#include "heapwright/core/index.hpp"
#include "heapwright/core/result.hpp"
#include "heapwright/model/policy.hpp"
#include "heapwright/pool/pool_figures.hpp"
#include "heapwright/pool/pool_options.hpp"
#include "heapwright/suballoc/any_suballocator.hpp"
#include "heapwright/suballoc/detail/flat_ring.hpp"
#include "heapwright/suballoc/suballocation.hpp"

namespace heapwright::pool {

// The offsets of one chunk, divided by the suballocator that the bucket's policy names.
// Guarantees: those of the suballocator chosen (no overlap, true alignment, inside the capacity); sizes and offsets are
// multiples of the granule whatever the kind, so that what may share a page is decided by the granule alone.
// When space comes back: kTlsf, kFixedBlocks and kSlots at once; kLinear when everything above it is freed; kRing
// frame by frame, oldest first, each when the last of its frame is freed. All kinds start afresh when they are empty.
// Sizes in bytes. Move-only value; not thread-safe: the bucket's lock covers it. Errors: create() says why a kind
// cannot serve.

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
    suballoc::detail::FlatRing<RingFrame> ring_frames_;  // oldest first
    std::uint64_t closed_frames_ = 0;
};

static_assert(std::is_nothrow_move_constructible_v<ChunkSpace>);

// Where the memory of a bucket's chunks comes from: the device within its limits, chunks that were prepared, or numbers
// alone. Asked only when a chunk comes, goes, empties or fills, never for a suballocation.
// Sizes in bytes. Who implements it says whether it is thread-safe.

class ChunkMemory {
public:
    struct Piece {
        device::AllocationId memory;
        std::uint64_t size_bytes = 0;
    };

    virtual ~ChunkMemory() = default;

    // Of `size_bytes`, or one that is there already and has `needed_bytes` at least. Errors: those of its source, and
    // nothing is kept.
    [[nodiscard]] virtual Result<Piece> take(std::uint64_t size_bytes, std::uint64_t needed_bytes) = 0;
    virtual void give_back(const Piece& piece) = 0;

    // Whether an empty chunk may be kept for long; it counts as kept until end_keeping().
    [[nodiscard]] virtual bool keep_empty(std::uint64_t size_bytes) = 0;
    virtual void end_keeping(std::uint64_t size_bytes) = 0;
};

// Where a resource lives: a range of a chunk. A plain value; who holds it gives it back to its pool exactly once.
// Sizes in bytes.

struct Placement {
    device::AllocationId memory;
    std::uint64_t offset_bytes = 0;
    std::uint64_t size_bytes = 0;  // reserved, the suballocator's rounding included
    MemoryTypeIndex memory_type;
    std::uint32_t bucket = 0;  // position in DevicePolicy::buckets
    std::uint32_t chunk = 0;   // the bucket's slot
    suballoc::SuballocationHandle handle;
};

class ChunkSet {
public:
    struct Options {
        std::uint32_t index = 0;  // of the bucket, for its placements
        // Offsets and sizes in non-coherent memory keep host flushes off the neighbours; 1 elsewhere.
        std::uint64_t smallest_alignment_bytes = 1;
        std::uint32_t empty_chunk_age = kEmptyChunkAge;
        // Of one that the memory does not keep; 0: it goes back at once.
        std::uint32_t beyond_share_age = contract::kBeyondShareAge;
        std::uint64_t largest_chunk_bytes = ~0ull;  // the device's limit for one allocation
    };

    // One chunk as a plan of moves sees it: every range in use, whoever holds it.
    struct ChunkRanges {
        struct Range {
            std::uint64_t offset_bytes = 0;
            std::uint64_t size_bytes = 0;
        };
        std::uint32_t chunk = 0;  // the slot, as in Placement
        std::uint64_t capacity_bytes = 0;
        std::vector<Range> used;
    };

    ChunkSet(const model::BucketPolicy& policy, ChunkMemory& memory, const Options& options);
    ChunkSet(const ChunkSet&) = delete;
    ChunkSet& operator=(const ChunkSet&) = delete;

    // From the chunks there are; nothing when none has room.
    [[nodiscard]] std::optional<Placement> allocate_in_place(std::uint64_t size_bytes, std::uint64_t alignment_bytes);

    // From the chunks there are, else from a new one as large as the policy's growth says, divided by `shrink` (more
    // where the request needs it).
    // Errors: those of ChunkMemory::take and ChunkSpace::create; kOutOfRange for a request that no chunk can hold.
    [[nodiscard]] Result<Placement> allocate(std::uint64_t size_bytes, std::uint64_t alignment_bytes,
                                             std::uint64_t shrink = 1);

    // Exactly that range of a chunk. Error: kExhausted when it is not free, or the suballocator cannot choose offsets.
    [[nodiscard]] Result<Placement> allocate_at(std::uint32_t chunk, std::uint64_t offset_bytes,
                                                std::uint64_t size_bytes);

    // Error: kInvariantBroken for a placement that is not live here; nothing changed then.
    [[nodiscard]] Status free(const Placement& placement);

    // One collection: empty chunks that were kept long enough go back, and the frame of rings is closed.
    void age();

    // Takes every empty chunk out; visit(piece) gives it back.
    template <class Visit>
    void remove_empty(Visit&& visit) {
        while (!empty_slots_.empty()) visit(remove_chunk(empty_slots_.front()));
    }

    template <class Visit>
    void for_each_piece(Visit&& visit) const {
        for (const std::optional<Chunk>& chunk : slots_) {
            if (chunk) visit(chunk->piece);
        }
    }

    // What the next new chunk takes, before any request makes it larger, once `more_bytes` more are held.
    [[nodiscard]] std::uint64_t next_chunk_bytes(std::uint64_t more_bytes = 0) const;
    // Placements lie at multiples of this and of their own alignment.
    [[nodiscard]] std::uint64_t placement_unit_bytes() const;
    [[nodiscard]] std::uint64_t collections() const { return epoch_; }
    [[nodiscard]] const model::BucketPolicy& policy() const { return policy_; }

    // The chunks in the order of their slots.
    [[nodiscard]] std::vector<ChunkRanges> layout() const;
    [[nodiscard]] BucketFigures figures() const;
    // The chunks in use in the order of their slots, each with the used shares of at most `cell_count` parts.
    [[nodiscard]] std::vector<ChunkFigures> chunk_figures(std::size_t cell_count) const;
    [[nodiscard]] Status validate_invariants() const;

private:
    struct Chunk {
        ChunkMemory::Piece piece;
        ChunkSpace space;
        std::uint64_t empty_since = 0;
        bool is_kept_empty = false;  // counted by the memory
    };

    [[nodiscard]] std::optional<Placement> allocate_rounded(std::uint64_t size_bytes, std::uint64_t alignment_bytes);
    [[nodiscard]] std::optional<Placement> allocate_from(std::uint32_t slot, std::uint64_t size_bytes,
                                                         std::uint64_t alignment_bytes);
    [[nodiscard]] Placement placement_in(std::uint32_t slot, const suballoc::Suballocation& range);
    // So that nothing but add_chunk() takes host memory for a chunk, until the chunk goes.
    void make_room_for_slot();
    [[nodiscard]] Result<std::uint32_t> add_chunk(std::uint64_t size_bytes, std::uint64_t needed_bytes);
    [[nodiscard]] ChunkMemory::Piece remove_chunk(std::uint32_t slot);
    // After every change of the chunk's ranges.
    void note_ranges(std::uint32_t slot);
    void note_empty(std::uint32_t slot);
    // An empty one; asked again, as others may have gone. False: it is beyond the share.
    bool try_keep(Chunk& chunk);
    [[nodiscard]] bool has_outlived(Chunk& chunk);
    void note_filled(std::uint32_t slot);
    void end_keeping(Chunk& chunk);
    void end_ring_frames();
    [[nodiscard]] std::uint64_t rounded_size(std::uint64_t size_bytes) const;

    const model::BucketPolicy& policy_;
    ChunkMemory& memory_;
    const Options options_;
    std::deque<std::optional<Chunk>> slots_;
    std::vector<std::uint32_t> vacant_slots_;  // a heap, the lowest first
    const bool is_by_bins_;                    // which of the two that follow lists the slots in use
    contract::ChunkBins by_bins_;
    contract::ChunkOrder fullest_first_;
    std::vector<std::uint32_t> empty_slots_;  // those of empty chunks, ascending
    std::uint64_t held_bytes_ = 0;
    std::uint64_t epoch_ = 0;
};

}  // namespace heapwright::pool
