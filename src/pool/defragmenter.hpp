// Carries out defragmentation on the device, a step at a time within a budget of bytes and moves:
//
//   record_step(): plans the next moves of one bucket, makes each resource again at its new place, and gives the copies
//                  to be recorded in the submission that will signal a value
//   finish():      once that value has completed: asks the caller's check, lets the handle name the new resource, and
//                  releases the old one behind the commands recorded so far; chunks that are empty go back
//
// Guarantees: a handle always names a whole resource; a resource that was released or written (ResourceTable::
// note_write) while its copy was under way, or whose check failed, stays where it is and its copy is given back;
// a failure records nothing and keeps nothing. One step is under way at a time.
// Moved are placed resources that a copy can read and write, that share their memory with nothing and are not pinned.
// Not thread-safe: used by the thread that records; other threads may use the pool meanwhile. The pool, the table and
// the device outlive it.
// Source: suballoc/defragmentation.hpp for the plan.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "device/submitter.hpp"
#include "heapwright/core/index.hpp"
#include "heapwright/core/result.hpp"
#include "heapwright/suballoc/defragmentation.hpp"
#include "pool/memory_pool.hpp"
#include "pool/resource_table.hpp"

namespace heapwright::pool {

struct ResourceMove {
    ResourceHandle handle;
    device::ResourceId from;
    device::ResourceId to;
    std::uint64_t size_bytes = 0;
};

// What one step plans to gain, in the bucket's own layout.
struct DefragmentationReport {
    std::size_t bucket = 0;
    std::string bucket_id;
    std::vector<ResourceMove> moves;
    std::uint64_t moved_bytes = 0;
    suballoc::LayoutFigures before;
    suballoc::LayoutFigures after;
};

struct FinishedStep {
    std::vector<ResourceMove> moved;      // `from` is released
    std::vector<ResourceMove> abandoned;  // `to` is released
};

struct DefragmentationTotals {
    std::uint64_t steps = 0;
    std::uint64_t moves = 0;
    std::uint64_t moved_bytes = 0;
    std::uint64_t abandoned_moves = 0;
    std::uint64_t emptied_chunks = 0;
    std::uint64_t emptied_bytes = 0;  // of those chunks
};

class Defragmenter {
public:
    struct Options {
        suballoc::DefragmentationStrategy strategy = suballoc::DefragmentationStrategy::kFreeChunks;
        suballoc::DefragmentationLimits limits;  // of one step
        // Buffers with the usage STORAGE_BUFFER move by a compute shader: their work goes to an engine that computes.
        bool buffers_by_shader = false;
        // Asked when the copy has completed; false abandons the move. Empty: every copy is taken as good.
        std::function<bool(const ResourceMove&)> check = {};
    };

    Defragmenter(MemoryPool& pool, ResourceTable& table, Options options)
        : pool_(pool), table_(table), options_(std::move(options)), has_emptied_(pool.bucket_count(), false) {}

    // Appends the step's copies to `work`, whose submission signals `signal`; nothing when a step is under way or all
    // buckets are done. Errors: those of creating the resources; the planner's.
    [[nodiscard]] Result<std::optional<DefragmentationReport>> record_step(TimelineValue signal,
                                                                           std::vector<device::Work>& work);

    // Nothing when no step has completed. `recording`: what the commands recorded now will signal.
    [[nodiscard]] std::optional<FinishedStep> finish(TimelineValue completed, TimelineValue recording);

    // Gives back the chunks that completed steps emptied, as far as their old places are free by now; record_step()
    // does so too. The bytes that went back.
    std::uint64_t give_back_emptied();

    // The recorded work was never submitted: the step's copies are given back.
    FinishedStep abandon();

    // No bucket had a move to make since the last restart().
    [[nodiscard]] bool is_done() const { return buckets_without_moves_ >= pool_.bucket_count() && !step_; }
    // Looks at every bucket again, after resources came and went.
    void restart() { buckets_without_moves_ = 0; }

    [[nodiscard]] const DefragmentationTotals& totals() const { return totals_; }

private:
    struct Pending {
        ResourceMove move;
        Resource copy;
        std::uint64_t writes = 0;  // the entry's when the copy was recorded
        std::uint32_t from_chunk = 0;
    };
    struct Step {
        TimelineValue value;
        std::size_t bucket = 0;
        std::vector<Pending> moves;
        std::map<std::uint32_t, std::uint64_t> emptied;  // slots of chunks that all moves empty, and their bytes
    };

    [[nodiscard]] Result<std::optional<DefragmentationReport>> try_bucket(std::size_t bucket, TimelineValue signal,
                                                                          std::vector<device::Work>& work);

    MemoryPool& pool_;
    ResourceTable& table_;
    Options options_;
    std::vector<bool> has_emptied_;  // by bucket: chunks in it were emptied and may wait to go back
    std::optional<Step> step_;
    std::size_t next_bucket_ = 0;
    std::size_t buckets_without_moves_ = 0;
    DefragmentationTotals totals_;
};

}  // namespace heapwright::pool
