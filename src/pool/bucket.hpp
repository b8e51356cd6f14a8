// One bucket of a policy on a device, for several threads: its chunks (chunk_set.hpp) behind a lock, their memory
// within the heaps' limits, and chunks prepared ahead of need. Guarantees: those of the set; a retired placement's
// range is reused only after release_completed() of the pool was told its timeline value; a failure changes nothing.
// Empty chunks go back as contract/chunks.hpp says, all on trim(). With a background queue, `chunks_ahead` more chunks
// are kept ready (chunk_reserve.hpp): a request that needs a chunk takes a ready one without a call of the device, and
// the queue allocates the next and frees what empties. A chunk that cannot be prepared is nobody's error. The
// destructor waits for an item that runs. Thread-safe: one lock, held across the device allocation of a chunk that was
// not ready, never across the background's. Errors: those of ChunkSet and BudgetedMemory::take.
#pragma once

#include <atomic>
#include <cstdint>
#include <functional>
#include <memory>
#include <mutex>
#include <optional>
#include <span>
#include <vector>

#include "core/brief_mutex.hpp"
#include "device/back_pointer.hpp"
#include "heapwright/core/index.hpp"
#include "heapwright/core/result.hpp"
#include "heapwright/device/background_processor.hpp"
#include "heapwright/model/policy.hpp"
#include "heapwright/pool/pool_figures.hpp"
#include "pool/budgeted_memory.hpp"
#include "pool/chunk_reserve.hpp"
#include "pool/chunk_set.hpp"

namespace heapwright::pool {

class Bucket : private ChunkMemory {
public:
    struct Options {
        ChunkSet::Options chunks;
        bool device_address = false;
        std::uint64_t kept_empty_bytes = 0;  // of all buckets of the heap: an empty chunk above this goes back soon
        float priority = 0.5f;               // of the chunks' memory
        // Takes work for other threads, or says that it was cancelled. Empty: everything is done by the caller.
        std::function<bool(device::WorkItem)> background = {};
        bool touches = false;  // prepared chunks are mapped and written, so that no frame meets their first touch
    };

    // `policy` and `memory` outlive the bucket.
    Bucket(const model::BucketPolicy& policy, BudgetedMemory& memory, const Options& options);
    ~Bucket() override;
    Bucket(const Bucket&) = delete;
    Bucket& operator=(const Bucket&) = delete;

    // As the set's.
    [[nodiscard]] std::optional<Placement> allocate_in_place(std::uint64_t size_bytes, std::uint64_t alignment_bytes);
    [[nodiscard]] Result<Placement> allocate(std::uint64_t size_bytes, std::uint64_t alignment_bytes,
                                             std::uint64_t shrink = 1);
    // For a planned move.
    [[nodiscard]] Result<Placement> allocate_at(std::uint32_t chunk, std::uint64_t offset_bytes,
                                                std::uint64_t size_bytes);
    // Frees now: the range was never used by the device, or its use is over.
    [[nodiscard]] Status free(const Placement& placement) { return free(std::span(&placement, 1)); }
    // The same of all of them, under the lock once. Error: the first, and the others are freed.
    [[nodiscard]] Status free(std::span<const Placement> placements);

    // Gives back every empty chunk, prepared ones too; the bytes that were given back.
    std::uint64_t trim();
    // The prepared chunks alone, once what is under way for them has ended. None is prepared in a while after that.
    std::uint64_t give_back_prepared();
    // Ages the kept empty chunks and the prepared ones, and closes the frame of rings.
    void age();

    // Hands the background what there is to do, if anything. Throws nothing: the next call asks again.
    void ask_background();
    // While it is held, the background neither takes nor frees a chunk of this bucket.
    [[nodiscard]] std::unique_lock<std::mutex> pause_background() const { return std::unique_lock(background_mutex_); }

    // What the next new chunk takes, before any request makes it larger.
    [[nodiscard]] std::uint64_t next_chunk_bytes() const;
    [[nodiscard]] std::vector<ChunkSet::ChunkRanges> layout() const;
    [[nodiscard]] std::uint64_t placement_unit_bytes() const { return chunks_.placement_unit_bytes(); }

    [[nodiscard]] const model::BucketPolicy& policy() const { return chunks_.policy(); }
    [[nodiscard]] MemoryTypeIndex memory_type() const { return MemoryTypeIndex{policy().memory_type}; }

    [[nodiscard]] BucketFigures figures() const;
    // Two passes over the ranges, under the lock.
    [[nodiscard]] std::vector<ChunkFigures> chunk_figures(std::size_t cell_count) const;
    [[nodiscard]] Status validate_invariants() const;

private:
    // For the set, under the lock.
    [[nodiscard]] Result<Piece> take(std::uint64_t size_bytes, std::uint64_t needed_bytes) override;
    void give_back(const Piece& piece) override;
    [[nodiscard]] bool keep_empty(std::uint64_t size_bytes) override;
    void end_keeping(std::uint64_t size_bytes) override;

    void give_to_device(const Piece& piece) { memory_.give_back(piece.memory, memory_type(), piece.size_bytes); }
    [[nodiscard]] device::AllocationRequest chunk_request(std::uint64_t size_bytes) const;
    // Runs `work` under the lock, and lets the background know when chunks came or went.
    template <class Work>
    auto locked(Work work) -> decltype(work());

    [[nodiscard]] bool works_in_background() const { return reserve_.is_used(); }
    [[nodiscard]] bool needs_background() const;
    [[nodiscard]] std::uint64_t prepared_chunk_bytes() const;
    void work_in_background();
    void prepare_chunk(std::uint64_t size_bytes);

    BudgetedMemory& memory_;
    Options options_;
    mutable BriefMutex mutex_;
    ChunkSet chunks_;
    ChunkReserve reserve_;
    bool chunks_came_or_went_ = false;

    mutable std::mutex background_mutex_;  // held by the item that runs; taken before `mutex_`
    std::shared_ptr<std::atomic<bool>> asked_ =
        std::make_shared<std::atomic<bool>>(false);  // an item is queued or runs
    std::unique_ptr<device::Anchor<Bucket>> anchor_;
    device::BackPointer<Bucket> back_;
};

}  // namespace heapwright::pool
