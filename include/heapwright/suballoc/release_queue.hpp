// ReleaseQueue<T>: objects whose destruction waits until the GPU has passed a point on a timeline (a fence value, a
// number of completed command lists). The caller pairs each object with the value of the work that may still use it.
// Guarantees: nothing leaves before its value is completed; objects leave in the order in which they came. A value
// below one that came before waits with that one: later than it could be, never earlier.
// Owns its objects. Not thread-safe: one queue a thread, or a lock around it. O(1), no allocation while the
// arrays have room. Where a push runs out of host memory, nothing has changed.
// Source: release queues of "Managing Resource Lifetimes" (Diligent Engine).
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <utility>

#include "heapwright/core/index.hpp"
#include "heapwright/suballoc/detail/block_ring.hpp"
#include "heapwright/suballoc/detail/flat_ring.hpp"

namespace heapwright::suballoc {

template <class T>
class ReleaseQueue {
public:
    void push(TimelineValue value, T object) {
        // Objects of one value are one run: the value is stored and compared once for all of them.
        objects_.reserve_one();
        if (runs_.empty() || runs_.back().value < value) [[unlikely]]
            runs_.push({value, 0});
        ++runs_.back().count;
        objects_.push(std::move(object));
    }

    // Hands the objects whose value is completed to release(T&&), oldest first and at most so many; release may push.
    // Returns how many.
    template <class Release>
    std::size_t release_completed(TimelineValue completed, Release&& release, std::size_t most = ~std::size_t{0}) {
        std::size_t released = 0;
        while (!runs_.empty() && runs_.front().value <= completed) {
            // A run goes first, so that what `release` pushes begins one of its own.
            const std::size_t count = std::min(runs_.front().count, most - released);
            if ((runs_.front().count -= count) == 0) runs_.pop();
            for (std::size_t i = 0; i < count; ++i) {
                T object = std::move(objects_.front());
                objects_.pop();
                release(std::move(object));
            }
            released += count;
            if (released == most) break;
        }
        return released;
    }

    // Destroys what is completed.
    std::size_t release_completed(TimelineValue completed) {
        return release_completed(completed, [](T&&) {});
    }

    [[nodiscard]] std::size_t pending_count() const { return objects_.size(); }
    [[nodiscard]] bool empty() const { return objects_.empty(); }
    // The value that the next release waits for, and the one that the last waits for.
    [[nodiscard]] std::optional<TimelineValue> oldest_value() const {
        return runs_.empty() ? std::nullopt : std::optional(runs_.front().value);
    }
    [[nodiscard]] std::optional<TimelineValue> newest_value() const {
        return runs_.empty() ? std::nullopt : std::optional(runs_.back().value);
    }
    // So many objects of as many values at the most are pushed without an allocation.
    void reserve(std::size_t object_count) {
        runs_.reserve(object_count);
        objects_.reserve(object_count);
    }

private:
    struct Run {
        TimelineValue value;
        std::size_t count;
    };

    detail::FlatRing<Run> runs_;
    detail::BlockRing<T> objects_;
};

}  // namespace heapwright::suballoc
