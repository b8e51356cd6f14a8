// A what-if on a device's own memory: every way once over numbers and once more by the device's own calls, each timed.
// Memory alone: no resource is created in it, nothing is copied.
#pragma once

#include "device/device.hpp"
#include "heapwright/core/result.hpp"
#include "model/what_if.hpp"
#include "whatif/what_if.hpp"

namespace heapwright::whatif {

// request.memory is the device's from here on. Gives back all that it takes. Not thread-safe. Errors: those of
// play_what_if(), kDeviceLost.
[[nodiscard]] Result<model::WhatIf> play_on_device(WhatIfRequest request, device::Device& device);

}  // namespace heapwright::whatif
