// One release queue for each kind of object that the device may still use when its owner lets go of it: resources,
// memory ranges, pipelines. (Stale descriptors wait in their allocation managers, command allocators in their pool,
// upload pages in the upload heap.) An object ends only when its timeline value has completed.
// Thread-safe: one lock a queue, taken once for a batch of objects; what ends an object runs outside it.
// Source: "Managing Resource Lifetimes" (Diligent Engine), release queues.
#pragma once

#include <cstdint>
#include <mutex>
#include <span>
#include <utility>
#include <vector>

#include "heapwright/core/index.hpp"
#include "heapwright/device/submitter.hpp"
#include "heapwright/suballoc/release_queue.hpp"
#include "heapwright/suballoc/suballocation.hpp"

namespace heapwright::runtime {

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
    void push(TimelineValue last_use, T object) {
        const std::lock_guard lock(mutex_);
        queue_.push(last_use, std::move(object));
    }
    void push_all(TimelineValue last_use, std::span<const T> objects) {
        if (objects.empty()) return;
        const std::lock_guard lock(mutex_);
        for (const T& object : objects) queue_.push(last_use, object);
    }

    // Hands every object whose value has completed to end(T&&); how many.
    template <class End>
    std::size_t purge(TimelineValue completed, End&& end) {
        const std::lock_guard purging(purge_mutex_);
        {
            const std::lock_guard lock(mutex_);
            queue_.release_completed(completed, [this](T&& object) { ended_.push_back(std::move(object)); });
        }
        for (T& object : ended_) end(std::move(object));
        const std::size_t count = ended_.size();
        ended_.clear();
        return count;
    }

    [[nodiscard]] std::size_t pending_count() const {
        const std::lock_guard lock(mutex_);
        return queue_.pending_count();
    }

private:
    mutable std::mutex mutex_;
    suballoc::ReleaseQueue<T> queue_;
    std::mutex purge_mutex_;
    std::vector<T> ended_;
};

struct ReleaseQueues {
    LockedReleaseQueue<device::ResourceId> resources;
    LockedReleaseQueue<MemoryRange> memory_ranges;
    LockedReleaseQueue<device::PipelineId> pipelines;
};

}  // namespace heapwright::runtime
