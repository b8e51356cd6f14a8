// When something that the device may still use is free: once a command list of a named queue is over, or once a frame
// is, which waits for what every queue was given until its end.
//   lane 0:     frames; the value counts frames that are over on every queue
//   lane 1 + q: the lists of queue q; the value is what the queue's fence reads
// Values of two lanes do not compare. Plain values. Source: "Managing Resource Lifetimes" (Diligent Engine), whose one
// queue has one clock.
// Beside it: the clocks of frames and of command lists.
#pragma once

#include <array>
#include <atomic>
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

// The number of the frame that is open, and so what waits for whatever is released now by who does not know the list
// that used it last: the end of that frame on every queue.
// Thread-safe to read; advanced by FrameEnds alone. Sequentially consistent with CommandListClock and with the pins of
// DeviceContext: FrameEnds says why.
// Source: "Managing Resource Lifetimes" (Diligent Engine), which pairs a release with the list that is submitted next;
// a frame's end holds for lists of several threads and queues, too, and comes in frames without any.

class FrameClock {
public:
    [[nodiscard]] std::uint64_t next() const { return next_.load(std::memory_order_seq_cst); }

    // A reader that comes late gets a later frame than it needs, never an earlier one.
    [[nodiscard]] ReleasePoint release_point() const { return ReleasePoint::of_frame(TimelineValue{next() + 1}); }

    void advance() { next_.fetch_add(1, std::memory_order_seq_cst); }

private:
    std::atomic<std::uint64_t> next_{0};
};

// The number of the command list that is submitted next to one queue. Submitting a list adds one; the queue's fence
// counts completed lists, so that it reads n + 1 once list n is over.
// Thread-safe to read; advanced by DeviceQueue alone, under the lock that covers the submission.
// Source: "Managing Resource Lifetimes" (Diligent Engine), basic strategy.

class CommandListClock {
public:
    [[nodiscard]] std::uint64_t next() const { return next_.load(std::memory_order_seq_cst); }

    // What the fence reads once everything that has been submitted is over.
    [[nodiscard]] TimelineValue submitted() const { return TimelineValue{next()}; }

    void advance() { next_.fetch_add(1, std::memory_order_seq_cst); }

private:
    std::atomic<std::uint64_t> next_{0};
};

}  // namespace heapwright::frame
