// When something that the device may still use is free: once a command list of a named queue is over, or once a frame
// is, which waits for what every queue was given until its end.
//   lane 0:     frames; the value counts frames that are over on every queue
//   lane 1 + q: the lists of queue q; the value is what the queue's fence reads
// Values of two lanes do not compare. Plain values. Source: "Managing Resource Lifetimes" (Diligent Engine), whose one
// queue has one clock.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>

#include "heapwright/core/index.hpp"

namespace heapwright::frame {

inline constexpr std::size_t kMostQueues = 8;
// Who waits for the device longer than this is told that it hangs.
inline constexpr std::uint64_t kWaitTimeoutNs = 60'000'000'000;
inline constexpr std::size_t kReleaseLanes = 1 + kMostQueues;

struct ReleasePoint {
    std::uint32_t lane = 1;
    TimelineValue value;

    constexpr ReleasePoint() = default;
    // Of the first queue, which is all that most programs have.
    constexpr ReleasePoint(TimelineValue of_first_queue) : value(of_first_queue) {}

    [[nodiscard]] static constexpr ReleasePoint of_queue(std::size_t queue, TimelineValue value) {
        ReleasePoint point(value);
        point.lane = static_cast<std::uint32_t>(1 + queue);
        return point;
    }
    [[nodiscard]] static constexpr ReleasePoint of_frame(TimelineValue value) {
        ReleasePoint point(value);
        point.lane = 0;
        return point;
    }
    [[nodiscard]] constexpr bool is_frame() const { return lane == 0; }
};

// What the fence of each queue reads once something is over.
using QueueValues = std::array<TimelineValue, kMostQueues>;

// How far each lane is.
struct CompletedPoints {
    std::array<TimelineValue, kReleaseLanes> by_lane{};

    constexpr CompletedPoints() = default;
    // Every lane is as far.
    constexpr CompletedPoints(TimelineValue of_all) { by_lane.fill(of_all); }
};

}  // namespace heapwright::frame
