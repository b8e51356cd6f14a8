// The number of the frame that is open, and so what waits for whatever is released now by who does not know the list
// that used it last: the end of that frame on every queue.
// Thread-safe to read; advanced by FrameEnds alone. Sequentially consistent with CommandListClock and with the pins of
// DeviceContext: FrameEnds says why.
// Source: "Managing Resource Lifetimes" (Diligent Engine), which pairs a release with the list that is submitted next;
// a frame's end holds for lists of several threads and queues, too, and comes in frames without any.
#pragma once

#include <atomic>
#include <cstdint>

#include "frame/release_point.hpp"

namespace heapwright::frame {

class FrameClock {
public:
    [[nodiscard]] std::uint64_t next() const { return next_.load(std::memory_order_seq_cst); }

    // A reader that comes late gets a later frame than it needs, never an earlier one.
    [[nodiscard]] ReleasePoint release_point() const { return ReleasePoint::of_frame(TimelineValue{next() + 1}); }

    void advance() { next_.fetch_add(1, std::memory_order_seq_cst); }

private:
    std::atomic<std::uint64_t> next_{0};
};

}  // namespace heapwright::frame
