// One release queue for each kind of object that the device may still use when its owner lets go of it: resources,
// memory ranges, pipelines. (Stale descriptors wait in their allocation managers, command allocators in their pool,
// upload pages in the upload heap.) An object ends only when its release point has completed.
// Thread-safe: one lock a queue, taken once for a batch of objects; what ends an object runs outside it.
// Source: "Managing Resource Lifetimes" (Diligent Engine), release queues.
// Beside it: objects that wait in one queue for each lane.
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <mutex>
#include <optional>
#include <utility>
#include <vector>

#include "device/submitter.hpp"
#include "frame/release_point.hpp"
#include "heapwright/suballoc/release_queue.hpp"
#include "heapwright/suballoc/suballocation.hpp"

namespace heapwright::frame {

// Objects that wait for a release point, in one release queue for each lane: what waits for a queue that is far behind
// holds up nothing that waits for another one.
// Guarantees: within a lane those of ReleaseQueue; none between lanes. Not thread-safe.

using OldestPoints = std::array<std::optional<TimelineValue>, kReleaseLanes>;  // by lane

template <class T>
class LaneQueue {
public:
    void push(ReleasePoint point, T object) {
        lanes_used_ = std::max(lanes_used_, point.lane + 1);
        lanes_[point.lane].push(point.value, std::move(object));
    }

    // So many objects may wait for frames without an allocation.
    void reserve_for_frames(std::size_t count) { lanes_[0].reserve(count); }

    // Hands every object whose point is completed to release(T&&); how many.
    template <class Release>
    std::size_t release_completed(const CompletedPoints& completed, Release&& release) {
        std::size_t released = 0;
        for (std::uint32_t lane = 0; lane < lanes_used_; ++lane)
            released += lanes_[lane].release_completed(completed.by_lane[lane], release);
        return released;
    }

    [[nodiscard]] std::size_t pending_count() const {
        std::size_t count = 0;
        for (std::uint32_t lane = 0; lane < lanes_used_; ++lane) count += lanes_[lane].pending_count();
        return count;
    }
    // Of each lane what its oldest object waits for; nothing where none does.
    [[nodiscard]] OldestPoints oldest() const {
        OldestPoints oldest;
        for (std::uint32_t lane = 0; lane < lanes_used_; ++lane) oldest[lane] = lanes_[lane].oldest_value();
        return oldest;
    }

private:
    std::array<suballoc::ReleaseQueue<T>, kReleaseLanes> lanes_;
    std::uint32_t lanes_used_ = 0;
};

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
        batches_.push(last_use, std::exchange(objects, spare_locked()));
    }

    // Takes out every object whose point has completed, for end_taken().
    void take_completed(const CompletedPoints& completed) {
        const std::lock_guard purging(purge_mutex_);
        const std::lock_guard lock(mutex_);
        std::vector<T> one_by_one = spare_locked();
        queue_.release_completed(completed, [&](T&& object) { one_by_one.push_back(std::move(object)); });
        taken_.push_back(std::move(one_by_one));
        batches_.release_completed(completed, [this](std::vector<T>&& batch) {
            pending_in_batches_ -= batch.size();
            taken_.push_back(std::move(batch));
        });
    }

    // Hands each of them to end(T&&); how many. One whose end throws is gone, and those behind it wait for the next
    // call.
    template <class End>
    std::size_t end_taken(End&& end) {
        const std::lock_guard purging(purge_mutex_);
        std::size_t count = 0;
        for (; next_batch_ < taken_.size(); ++next_batch_, next_object_ = 0) {
            for (std::vector<T>& batch = taken_[next_batch_]; next_object_ < batch.size(); ++count)
                end(std::move(batch[next_object_++]));
        }
        const std::lock_guard lock(mutex_);
        for (std::vector<T>& batch : taken_) {
            batch.clear();
            if (spares_.size() < kMostSpares) spares_.push_back(std::move(batch));
        }
        taken_.clear();
        next_batch_ = 0;
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

    // An empty one, with memory where there is one to spare.
    [[nodiscard]] std::vector<T> spare_locked() {
        if (spares_.empty()) return {};
        std::vector<T> spare = std::move(spares_.back());
        spares_.pop_back();
        return spare;
    }

    mutable std::mutex mutex_;
    LaneQueue<T> queue_;  // one by one
    LaneQueue<std::vector<T>> batches_;
    std::size_t pending_in_batches_ = 0;
    std::vector<std::vector<T>> spares_;
    std::mutex purge_mutex_;  // of what is taken; before mutex_
    std::vector<std::vector<T>> taken_;
    std::size_t next_batch_ = 0;   // of taken_, that is not at its end
    std::size_t next_object_ = 0;  // in it
};

struct ReleaseQueues {
    LockedReleaseQueue<device::ResourceId> resources;
    LockedReleaseQueue<MemoryRange> memory_ranges;
    LockedReleaseQueue<device::PipelineId> pipelines;
};

}  // namespace heapwright::frame
