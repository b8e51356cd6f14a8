// What was released and waits for the device: resources with their placement or dedicated allocation, in the order of
// their timeline values. On each timeline one lane a bucket and one for dedicated allocations.
// Guarantees: an entry comes out once, and only when its timeline value has completed. A release whose value is below
// an earlier one's waits with it, which is late but never early.
// Thread-safe. No errors. Source: "Managing Resource Lifetimes" (Diligent Engine), release queues.
#pragma once

#include <cstdint>
#include <memory>
#include <mutex>
#include <optional>
#include <span>
#include <utility>

#include "core/brief_mutex.hpp"
#include "device/resource_binder.hpp"
#include "heapwright/core/index.hpp"
#include "heapwright/suballoc/release_queue.hpp"
#include "pool/alias_group.hpp"
#include "pool/chunk_set.hpp"

namespace heapwright::pool {

// A device allocation that one resource has alone.
struct DedicatedAllocation {
    MemoryTypeIndex memory_type;
    std::uint64_t size_bytes = 0;
};

struct Release {
    std::optional<device::ResourceId> resource;  // none: memory alone
    std::optional<Placement> placement;          // none: dedicated
    DedicatedAllocation dedicated;
    std::shared_ptr<AliasGroup> alias;  // the placement is shared: it ends with the last of the group
    TimelineValue last_use;
    std::uint32_t timeline = 0;

    [[nodiscard]] std::uint64_t size_bytes() const { return placement ? placement->size_bytes : dedicated.size_bytes; }
};

class ReleaseLane {
public:
    // Where host memory runs out nothing has changed.
    void add(Release release) {
        const std::lock_guard lock(mutex_);
        const std::uint64_t bytes = release.size_bytes();
        const TimelineValue value = release.last_use;
        queue_.push(value, std::move(release));
        bytes_ += bytes;
    }

    // What has completed, as much as there is place for: how many. What ends them runs outside the lane's lock: it
    // calls the device.
    [[nodiscard]] std::size_t take_completed(TimelineValue completed, std::span<Release> ended) {
        const std::lock_guard lock(mutex_);
        return queue_.release_completed(
            completed,
            [&, at = ended.begin()](Release&& release) mutable {
                bytes_ -= release.size_bytes();
                *at++ = std::move(release);
            },
            ended.size());
    }

    [[nodiscard]] std::uint64_t count() const {
        const std::lock_guard lock(mutex_);
        return queue_.pending_count();
    }
    [[nodiscard]] std::uint64_t bytes() const {
        const std::lock_guard lock(mutex_);
        return bytes_;
    }

private:
    mutable BriefMutex mutex_;
    suballoc::ReleaseQueue<Release> queue_;
    std::uint64_t bytes_ = 0;
};

}  // namespace heapwright::pool
