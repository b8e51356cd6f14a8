// Which frames are over, as a timeline that reads n + 1 once frame n is: what was released in it is used by nobody any
// more.
//
// close():  frame n ends for who releases; from now on releases wait for frame n + 1
// completed() and wait(): the frames in which no open context was begun get their ends first (settle()): the last list
//          of each queue
// A frame without an end is not over, whatever the fences say, so that a context that records while the frame is ended
// loses nothing. Why that holds: a context pins the frame that it begins in before it records; a release reads the
// frame after all uses were recorded. Where that frame was not closed yet, close() and then settle() come later in the
// one order of all these reads and writes, and see either the pin or the number of the context's submission. settle()
// leaves alone what is closed after it began to look for pins.
//
// Thread-safe. Errors: those of the queues' fences; waiting for a frame without an end is kExhausted at once, as it
// might never come. Only waits and reads: nobody signals it. Ownership: the queues outlive it.
// Source: the extension of "Managing Resource Lifetimes" (Diligent Engine) to several queues.
#pragma once

#include <array>
#include <cstdint>
#include <deque>
#include <functional>
#include <memory>
#include <mutex>
#include <utility>
#include <vector>

#include "device/timeline.hpp"
#include "frame/device_queue.hpp"
#include "frame/release_point.hpp"
#include "heapwright/core/result.hpp"

namespace heapwright::frame {

class FrameEnds final : public device::Timeline {
public:
    // `oldest_open`: the first frame in which a context that is open was begun, or a later one. Takes no lock under
    // which this here is called.
    FrameEnds(const std::vector<std::unique_ptr<DeviceQueue>>& queues, std::function<std::uint64_t()> oldest_open)
        : queues_(queues), oldest_open_(std::move(oldest_open)) {}

    [[nodiscard]] const FrameClock& clock() const { return clock_; }

    // The frame that is open ends; the clock goes on.
    void close();

    // Asks the fences.
    [[nodiscard]] Result<TimelineValue> completed() override;
    [[nodiscard]] Status wait(TimelineValue value, std::uint64_t timeout_ns) override;
    [[nodiscard]] Status signal(TimelineValue value) override;
    [[nodiscard]] Status signal_event(TimelineValue value, CompletionEvent event) override;

    // What has been submitted to each queue.
    [[nodiscard]] QueueValues submitted() const;
    // Waits for each queue; polls.
    [[nodiscard]] Status wait_for(const QueueValues& values, std::uint64_t timeout_ns);

private:
    // Frames one behind the other from completed_ on.
    struct Closed {
        bool is_settled = false;
        QueueValues ends{};
    };

    void settle();

    const std::vector<std::unique_ptr<DeviceQueue>>& queues_;
    std::function<std::uint64_t()> oldest_open_;
    FrameClock clock_;
    std::mutex mutex_;
    std::deque<Closed> closed_;
    std::uint64_t completed_ = 0;  // frames
};

}  // namespace heapwright::frame
