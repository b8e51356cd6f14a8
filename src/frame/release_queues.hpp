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
#include "heapwright/suballoc/detail/flat_ring.hpp"
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

    // Takes out every object whose point has completed, for end_taken().
    void take_completed(const CompletedPoints& completed) {
        const std::lock_guard purging(purge_mutex_);
        const std::lock_guard lock(mutex_);
        const auto take = [this](T&& object) { taken_.push(std::move(object)); };
        queue_.release_completed(completed, take);
        batches_.release_completed(completed, [&](std::vector<T>&& batch) {
            pending_in_batches_ -= batch.size();
            for (T& object : batch) take(std::move(object));
            batch.clear();
            if (spares_.size() < kMostSpares) spares_.push_back(std::move(batch));
        });
    }

    // Hands each of them to end(T&&); how many. One whose end throws is gone, and those behind it wait for the next
    // call.
    template <class End>
    std::size_t end_taken(End&& end) {
        const std::lock_guard purging(purge_mutex_);
        std::size_t count = 0;
        for (; !taken_.empty(); ++count) {
            T object = std::move(taken_.front());
            taken_.pop();
            end(std::move(object));
        }
        return count;
    }

    template <class End>
    std::size_t release_completed(const CompletedPoints& completed, End&& end) {
        take_completed(completed);
        return end_taken(end);
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
    std::mutex purge_mutex_;  // of taken_; before mutex_
    suballoc::detail::FlatRing<T> taken_;
};

struct ReleaseQueues {
    LockedReleaseQueue<device::ResourceId> resources;
    LockedReleaseQueue<MemoryRange> memory_ranges;
    LockedReleaseQueue<device::PipelineId> pipelines;
};

}  // namespace heapwright::frame
