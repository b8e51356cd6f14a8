// A timeline that submissions wait behind until the host opens it.
#pragma once

#include "device/timeline.hpp"
#include "heapwright/core/index.hpp"
#include "heapwright/core/result.hpp"

namespace heapwright::device {

inline constexpr TimelineValue kOpenForGood{1ull << 40};

// Up to `value`. What waits behind a gate that stays shut never ends, and neither does closing the device: a signal
// that fails is tried once more. The first error is given all the same. Any thread.
[[nodiscard]] inline Status open_gate(Timeline& gate, TimelineValue value = kOpenForGood) {
    Status opened = gate.signal(value);
    if (!opened) static_cast<void>(gate.signal(value));
    return opened;
}

}  // namespace heapwright::device
