// A timeline that frames wait behind until the host opens it.
#pragma once

#include "heapwright/core/index.hpp"
#include "heapwright/core/result.hpp"
#include "heapwright/device/timeline.hpp"

namespace heapwright::validate {

inline constexpr TimelineValue kOpenGate{1ull << 40};

// For good. What waits behind a gate that stays shut never ends, and neither does closing the device: a signal that
// fails is tried once more. The first error is given all the same. Any thread.
[[nodiscard]] inline Status open_gate(device::Timeline& gate) {
    Status opened = gate.signal(kOpenGate);
    if (!opened) static_cast<void>(gate.signal(kOpenGate));
    return opened;
}

}  // namespace heapwright::validate
