// Objects that wait for a release point, in one release queue for each lane: what waits for a queue that is far behind
// holds up nothing that waits for another one.
// Guarantees: within a lane those of ReleaseQueue; none between lanes. Not thread-safe.
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <utility>

#include "frame/release_point.hpp"
#include "heapwright/suballoc/release_queue.hpp"

namespace heapwright::frame {

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

}  // namespace heapwright::frame
