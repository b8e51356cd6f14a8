// How fast the host writes to and reads from mapped memory of a type: memcpy of a few MiB, medians.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "core/clock.hpp"
#include "device/device.hpp"
#include "heapwright/core/result.hpp"

namespace heapwright::probe {

struct MeasuredBandwidth {
    model::HostBandwidth figures;
    std::vector<double> rounds_ns;  // one write and one read, in the order in which they were taken
};

struct BandwidthBounds {
    std::uint32_t samples = 0;
    std::uint64_t deadline_ns = 0;  // of the clock; not heeded before one write and one read
    std::uint64_t settling_ns = 0;  // for more samples while they have not settled
};

// `host` is the ordinary memory at the other end; as many bytes are copied. Flushes after a write and invalidates
// before a read, inside the time. Nothing when the clock does not move. Errors: MemorySource's.
[[nodiscard]] Result<std::optional<MeasuredBandwidth>> measure_host_bandwidth(device::Device& device, Clock& clock,
                                                                              MemoryTypeIndex memory_type,
                                                                              std::span<std::byte> host,
                                                                              const BandwidthBounds& bounds);

}  // namespace heapwright::probe
