// A monotonic counter shared by host and device: a timeline semaphore (Vulkan 1.2) or an ID3D12Fence.
// All calls from any thread. Never frees anything.
#pragma once

#include <cstdint>

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
};

}  // namespace heapwright::device
