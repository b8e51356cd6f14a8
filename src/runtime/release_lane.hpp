// What was released and waits for the device: resources with their placement or dedicated allocation, in the order of
// their timeline values. One lane a bucket and one for dedicated allocations.
// Guarantees: an entry comes out once, and only when its timeline value has completed. A release whose value is below
// an earlier one's waits with it, which is late but never early.
// Thread-safe. No errors. Source: "Managing Resource Lifetimes" (Diligent Engine), release queues.
#pragma once

#include <algorithm>
#include <cstdint>
#include <deque>
#include <mutex>
#include <optional>

#include "heapwright/core/index.hpp"
#include "heapwright/device/resource_binder.hpp"
#include "heapwright/runtime/placement.hpp"

namespace heapwright::runtime {

// A device allocation that one resource has alone.
struct DedicatedAllocation {
    MemoryTypeIndex memory_type;
    std::uint64_t size_bytes = 0;
};

struct Release {
    std::optional<device::ResourceId> resource;  // none: memory alone
    std::optional<Placement> placement;          // none: dedicated
    DedicatedAllocation dedicated;
    TimelineValue last_use;

    [[nodiscard]] std::uint64_t size_bytes() const { return placement ? placement->size_bytes : dedicated.size_bytes; }
};

class ReleaseLane {
public:
    void add(Release release) {
        const std::lock_guard lock(mutex_);
        if (!queue_.empty()) release.last_use = std::max(release.last_use, queue_.back().last_use);
        bytes_ += release.size_bytes();
        queue_.push_back(std::move(release));
    }

    [[nodiscard]] std::optional<Release> take_completed(TimelineValue completed) {
        const std::lock_guard lock(mutex_);
        if (queue_.empty() || queue_.front().last_use > completed) return std::nullopt;
        Release release = std::move(queue_.front());
        queue_.pop_front();
        bytes_ -= release.size_bytes();
        return release;
    }

    [[nodiscard]] std::uint64_t count() const {
        const std::lock_guard lock(mutex_);
        return queue_.size();
    }
    [[nodiscard]] std::uint64_t bytes() const {
        const std::lock_guard lock(mutex_);
        return bytes_;
    }

private:
    mutable std::mutex mutex_;
    std::deque<Release> queue_;
    std::uint64_t bytes_ = 0;
};

}  // namespace heapwright::runtime
