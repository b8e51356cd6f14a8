// One bucket of a policy: the chunks in which resources of one class, alignment S and memory type T live.
// Guarantees: a placement overlaps no other live or pending one, is aligned, and lies inside its chunk; a retired
// placement's range is reused only after collect() was told its timeline value; a failure changes nothing.
// New chunks take what the policy's growth says for the bytes held now, so that a small bucket takes small ones.
// Empty chunks are kept, so that a workload at the edge of a chunk, or one whose frames differ in size, does not take
// and free them every other frame. The last one of a bucket goes back after `empty_chunk_age` collections without use,
// others after an eighth of that; all on trim(), and at once when what the heap's buckets keep together passes its
// share. With a background queue, `chunks_ahead` more chunks are kept ready (chunk_reserve.hpp): a request that needs a
// chunk takes a ready one without a call of the device, and the queue allocates the next and frees what empties. A
// chunk that cannot be prepared is nobody's error. The destructor waits for an item that runs. Thread-safe: one lock,
// held across the device allocation of a chunk that was not ready, never across the background's. Errors: see
// allocate().
#pragma once

#include <atomic>
#include <cstdint>
#include <functional>
#include <memory>
#include <mutex>
#include <optional>
#include <vector>

#include "heapwright/background/back_pointer.hpp"
#include "heapwright/background/background_processor.hpp"
#include "heapwright/core/index.hpp"
#include "heapwright/core/result.hpp"
#include "heapwright/model/policy.hpp"
#include "heapwright/pool/budgeted_heaps.hpp"
#include "heapwright/pool/chunk_order.hpp"
#include "heapwright/pool/chunk_reserve.hpp"
#include "heapwright/pool/chunk_space.hpp"
#include "heapwright/pool/placement.hpp"
#include "heapwright/pool/pool_figures.hpp"

namespace heapwright::pool {

class Bucket {
public:
    struct Options {
        std::uint32_t index = 0;
        // Offsets and sizes in non-coherent memory keep host flushes off the neighbours; 1 elsewhere.
        std::uint64_t smallest_alignment_bytes = 1;
        bool device_address = false;
        std::uint64_t kept_empty_bytes = 0;  // of all buckets of the heap: an empty chunk above this goes back at once
        std::uint32_t empty_chunk_age = 0;
        float priority = 0.5f;                      // of the chunks' memory
        std::uint64_t largest_chunk_bytes = ~0ull;  // the device's limit for one allocation
        // Takes work for other threads, or says that it was cancelled. Empty: everything is done by the caller.
        std::function<bool(background::WorkItem)> background = {};
        bool touches = false;  // prepared chunks are mapped and written, so that no frame meets their first touch
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

    // `policy` and `heaps` outlive the bucket.
    Bucket(const model::BucketPolicy& policy, BudgetedHeaps& heaps, const Options& options);
    ~Bucket();
    Bucket(const Bucket&) = delete;
    Bucket& operator=(const Bucket&) = delete;

    // From the chunks there are; nothing when none has room.
    [[nodiscard]] std::optional<Placement> allocate_in_place(std::uint64_t size_bytes, std::uint64_t alignment_bytes);

    // From the chunks there are, else from a new one as large as the policy's growth says, divided by `shrink` (more
    // where the request needs it).
    // Errors: those of BudgetedHeaps::take and ChunkSpace::create; kOutOfRange for a request that no chunk can hold.
    [[nodiscard]] Result<Placement> allocate(std::uint64_t size_bytes, std::uint64_t alignment_bytes,
                                             std::uint64_t shrink = 1);

    // Exactly that range of a chunk, for a planned move. Error: kExhausted when it is not free, or the bucket's
    // suballocator cannot choose offsets.
    [[nodiscard]] Result<Placement> allocate_at(std::uint32_t chunk, std::uint64_t offset_bytes,
                                                std::uint64_t size_bytes);

    // Frees now: the range was never used by the device, or its use is over. Error: kInvariantBroken for a placement
    // that is not live here; nothing changed then.
    [[nodiscard]] Status free(const Placement& placement);

    // Gives back every empty chunk, prepared ones too; the bytes that were given back.
    std::uint64_t trim();
    // The prepared chunks alone, once what is under way for them has ended. None is prepared in a while after that.
    std::uint64_t give_back_prepared();
    // Ages the kept empty chunk and the prepared ones, and closes the frame of rings.
    void age();

    // Hands the background what there is to do, if anything.
    void ask_background();
    // While it is held, the background neither takes nor frees a chunk of this bucket.
    [[nodiscard]] std::unique_lock<std::mutex> pause_background() const { return std::unique_lock(background_mutex_); }

    // What the next new chunk takes, before any request makes it larger.
    [[nodiscard]] std::uint64_t next_chunk_bytes() const;
    // The chunks in the order of their slots.
    [[nodiscard]] std::vector<ChunkRanges> layout() const;
    // Placements lie at multiples of this and of their own alignment.
    [[nodiscard]] std::uint64_t placement_unit_bytes() const;

    [[nodiscard]] const model::BucketPolicy& policy() const { return policy_; }
    [[nodiscard]] MemoryTypeIndex memory_type() const { return MemoryTypeIndex{policy_.memory_type}; }

    [[nodiscard]] BucketFigures figures() const;
    // The chunks in use in the order of their slots, each with the used shares of at most `cell_count` parts. Two
    // passes over the ranges, under the lock.
    [[nodiscard]] std::vector<ChunkFigures> chunk_figures(std::size_t cell_count) const;
    [[nodiscard]] Status validate_invariants() const;

private:
    struct Chunk {
        device::HeapId heap;
        std::uint64_t size_bytes = 0;
        ChunkSpace space;
        std::uint64_t empty_since = 0;
        bool is_kept_empty = false;  // counted in the heap's kept bytes
    };

    [[nodiscard]] std::optional<Placement> allocate_locked(std::uint64_t size_bytes, std::uint64_t alignment_bytes);
    [[nodiscard]] std::optional<Placement> allocate_tightest(std::size_t first, std::uint64_t size_bytes,
                                                             std::uint64_t alignment_bytes);
    [[nodiscard]] Result<Placement> allocate_growing(std::uint64_t size_bytes, std::uint64_t alignment_bytes,
                                                     std::uint64_t shrink, bool& grew);
    [[nodiscard]] Status free_range(const Placement& placement, bool& shrank);
    void note_empty(std::uint32_t slot);
    void note_filled(std::uint32_t slot);
    [[nodiscard]] Result<std::uint32_t> add_chunk(std::uint64_t size_bytes, std::uint64_t needed_bytes);
    [[nodiscard]] device::HeapRequest heap_request(std::uint64_t size_bytes) const;
    [[nodiscard]] std::uint64_t grown_chunk_bytes(std::uint64_t held_bytes) const;
    [[nodiscard]] std::uint64_t unit_bytes() const;
    void end_keeping(Chunk& chunk);
    [[nodiscard]] Placement placement_in(std::uint32_t slot, const suballoc::Suballocation& range);
    [[nodiscard]] std::optional<Placement> allocate_from(std::uint32_t slot, std::uint64_t size_bytes,
                                                         std::uint64_t alignment_bytes);
    // Its memory: the caller's to give back.
    [[nodiscard]] ChunkReserve::Chunk remove_chunk(std::uint32_t slot);
    void retire(std::uint32_t slot);
    // Whether it was.
    bool retire_if_surplus(std::uint32_t slot);
    void end_ring_frames();
    [[nodiscard]] std::uint64_t rounded_size(std::uint64_t size_bytes) const;

    [[nodiscard]] bool works_in_background() const { return reserve_.is_used(); }
    [[nodiscard]] bool needs_background() const;
    [[nodiscard]] std::uint64_t prepared_chunk_bytes() const;
    void work_in_background();
    void prepare_chunk(std::uint64_t size_bytes);

    const model::BucketPolicy& policy_;
    BudgetedHeaps& heaps_;
    Options options_;
    mutable std::mutex mutex_;
    std::vector<std::optional<Chunk>> slots_;
    std::vector<std::uint32_t> vacant_slots_;
    ChunkOrder fullest_first_;                // the slots in use
    std::vector<std::uint32_t> empty_slots_;  // those of empty chunks, ascending
    std::vector<std::uint64_t> least_fits_;   // of one search; kept, so that no search allocates
    std::uint64_t held_bytes_ = 0;
    std::uint64_t epoch_ = 0;
    ChunkReserve reserve_;

    mutable std::mutex background_mutex_;  // held by the item that runs; taken before `mutex_`
    std::shared_ptr<std::atomic<bool>> asked_ =
        std::make_shared<std::atomic<bool>>(false);  // an item is queued or runs
    std::unique_ptr<background::Anchor<Bucket>> anchor_;
    background::BackPointer<Bucket> back_;
};

}  // namespace heapwright::pool
