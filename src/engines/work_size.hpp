// How large the examples' pieces are on a device, and how long their work delays: measured, so that an execution takes
// clearly longer than to submit it and to see its end. Doubled until they do, bounded by what the
// host computes in a few milliseconds for each execution. A device that is not real or computes on the host's processor
// keeps the usual size: there an execution takes long as it is. Errors: the device's; kInvariantBroken for bytes that
// are not what the work leaves. The device is idle before and after. Not thread-safe.
#pragma once

#include <cstdint>
#include <string>

#include "core/clock.hpp"
#include "device/device.hpp"
#include "engines/examples.hpp"
#include "heapwright/core/result.hpp"

namespace heapwright::engines {

struct WorkSize {
    std::uint32_t side = ExampleSettings{}.side;
    Delay delay{};
    std::string how;  // it was measured; empty: it was not
};

[[nodiscard]] Result<WorkSize> work_size_for(device::Device& device, Clock& clock);

// Whatever the device is.
[[nodiscard]] Result<WorkSize> measure_work_size(device::Device& device, Clock& clock);

}  // namespace heapwright::engines
