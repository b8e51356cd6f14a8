// A monotonic counter shared by host and device: a timeline semaphore (Vulkan 1.2) or an ID3D12Fence.
// All calls from any thread. Never frees anything.
#pragma once

#include <cstdint>

#include "heapwright/core/completion_event.hpp"
#include "heapwright/core/index.hpp"
#include "heapwright/core/result.hpp"

namespace heapwright::device {

class Timeline {
public:
    virtual ~Timeline() = default;

    [[nodiscard]] virtual Result<TimelineValue> completed() = 0;
    [[nodiscard]] virtual Status signal(TimelineValue value) = 0;  // from the host

    // Errors: kTimeLimit when `timeout_ns` passes first; kDeviceLost.
    [[nodiscard]] virtual Status wait(TimelineValue value, std::uint64_t timeout_ns) = 0;

    // Signals the event once the timeline has reached the value, at once when it has already, whether or not the
    // timeline still lives then. An event is signalled as well when the device is lost or ends: who waited asks
    // completed() what became of it.
    // Errors: kDeviceLost, kOutOfHostMemory (no thread to wait on); the event is not signalled then.
    [[nodiscard]] virtual Status signal_event(TimelineValue value, CompletionEvent event) = 0;
};

}  // namespace heapwright::device
