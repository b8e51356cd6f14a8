// One release queue for each kind of object that the device may still use when its owner lets go of it: resources,
// memory ranges, pipelines. (Stale descriptors wait in their allocation managers, command allocators in their pool,
// upload pages in the upload heap.) An object ends only when its release point has completed.
// Thread-safe: one lock a queue, taken once for a batch of objects; what ends an object runs outside it.
// Source: "Managing Resource Lifetimes" (Diligent Engine), release queues.
#pragma once

#include <cstdint>
#include <mutex>
#include <utility>
#include <vector>

#include "heapwright/device/submitter.hpp"
#include "heapwright/frame/lane_queue.hpp"
#include "heapwright/suballoc/suballocation.hpp"

namespace heapwright::frame {

// Who takes a range of memory back. Called from the thread that purges.
class MemoryRangeOwner {
public:
    virtual void free_range(std::uint64_t offset_bytes, std::uint64_t size_bytes,
                            suballoc::SuballocationHandle handle) = 0;

protected:
    ~MemoryRangeOwner() = default;
};

struct MemoryRange {
    MemoryRangeOwner* owner = nullptr;  // outlives the release
    std::uint64_t offset_bytes = 0;
    std::uint64_t size_bytes = 0;
    suballoc::SuballocationHandle handle = {};
};

template <class T>
class LockedReleaseQueue {
public:
    void push(ReleasePoint last_use, T object) {
        const std::lock_guard lock(mutex_);
        queue_.push(last_use, std::move(object));
    }

    // Takes all of them at the cost of one; leaves an empty vector that keeps its memory where there is one to spare.
    void push_all(ReleasePoint last_use, std::vector<T>& objects) {
        if (objects.empty()) return;
        const std::lock_guard lock(mutex_);
        pending_in_batches_ += objects.size();
        batches_.push(last_use, std::exchange(objects, {}));
        if (spares_.empty()) return;
        objects = std::move(spares_.back());
        spares_.pop_back();
    }

    // Hands every object whose point has completed to end(T&&); how many.
    template <class End>
    std::size_t release_completed(const CompletedPoints& completed, End&& end) {
        const std::lock_guard purging(purge_mutex_);
        {
            const std::lock_guard lock(mutex_);
            queue_.release_completed(completed, [this](T&& object) { ended_.push_back(std::move(object)); });
            batches_.release_completed(completed, [this](std::vector<T>&& batch) {
                pending_in_batches_ -= batch.size();
                ended_batches_.push_back(std::move(batch));
            });
        }
        std::size_t count = ended_.size();
        for (T& object : ended_) end(std::move(object));
        ended_.clear();
        for (std::vector<T>& batch : ended_batches_) {
            count += batch.size();
            for (T& object : batch) end(std::move(object));
            batch.clear();
        }
        const std::lock_guard lock(mutex_);
        for (std::vector<T>& batch : ended_batches_) {
            if (spares_.size() < kMostSpares) spares_.push_back(std::move(batch));
        }
        ended_batches_.clear();
        return count;
    }

    [[nodiscard]] std::size_t pending_count() const {
        const std::lock_guard lock(mutex_);
        return queue_.pending_count() + pending_in_batches_;
    }

private:
    static constexpr std::size_t kMostSpares = 64;

    mutable std::mutex mutex_;
    LaneQueue<T> queue_;  // one by one
    LaneQueue<std::vector<T>> batches_;
    std::size_t pending_in_batches_ = 0;
    std::vector<std::vector<T>> spares_;
    std::mutex purge_mutex_;
    std::vector<T> ended_;
    std::vector<std::vector<T>> ended_batches_;
};

struct ReleaseQueues {
    LockedReleaseQueue<device::ResourceId> resources;
    LockedReleaseQueue<MemoryRange> memory_ranges;
    LockedReleaseQueue<device::PipelineId> pipelines;
};

}  // namespace heapwright::frame
