// Timestamps that an engine writes when a submission's work begins and when it ends: a query pool of timestamps on
// Vulkan, a query heap on Direct3D 12. What they say is the device's own: neither the submission nor the host's waiting
// is part of it.
// Sources: Vulkan specification, queries, timestamp queries; VK_KHR_calibrated_timestamps; Direct3D 12, timing.
#pragma once

#include <algorithm>
#include <compare>
#include <cstdint>
#include <optional>

#include "device/submitter.hpp"
#include "heapwright/core/result.hpp"

namespace heapwright::device {

// Ticks of an engine's clock: VkQueueFamilyProperties::timestampValidBits and VkPhysicalDeviceLimits::timestampPeriod,
// ID3D12CommandQueue::GetTimestampFrequency. After the largest number comes 0.
struct TimestampUnits {
    std::uint32_t valid_bits = 64;
    double period_ns = 1;
};

// From one timestamp to another; negative where the other is the earlier one. Of two moments that are less than half of
// the clock's round apart. Engines of one device may have clocks of different width: the narrower counts. Pure.
[[nodiscard]] inline double ns_between(std::uint64_t from_ticks, std::uint64_t to_ticks, const TimestampUnits& units) {
    const std::uint32_t unused = 64 - std::clamp<std::uint32_t>(units.valid_bits, 1, 64);
    // Shifted to the top, a difference wraps as the clock does, and its sign is the first bit.
    const auto difference = static_cast<std::int64_t>((to_ticks - from_ticks) << unused) >> unused;
    return static_cast<double>(difference) * units.period_ns;
}

// In which timestamps of both clocks compare: the narrower of the two; nothing where their periods differ. Pure.
[[nodiscard]] inline std::optional<TimestampUnits> common_units(const TimestampUnits& one,
                                                                const TimestampUnits& other) {
    if (one.period_ns != other.period_ns) return std::nullopt;
    return one.valid_bits <= other.valid_bits ? one : other;
}

struct TimestampPair {
    std::uint64_t begin_ticks = 0;  // all earlier work of the engine is over, and so are the submission's waits
    std::uint64_t end_ticks = 0;    // its work is over
};

// The device's clock and the host's at one moment.
struct ClockMoment {
    std::uint64_t device_ticks = 0;
    std::uint64_t host_ns = 0;       // of SteadyClock
    std::uint64_t deviation_ns = 0;  // by which the two may be apart
};

// Thread-safety: as the Submitter's. Who creates a pair destroys it.
class TimestampSource {
public:
    virtual ~TimestampSource() = default;

    // Errors: kNotSupported with the reason why the engine has none.
    [[nodiscard]] virtual Result<TimestampUnits> units(EngineId engine) const = 0;

    // Whether timestamps of different submissions tell which came first, on every engine; else only the two of a pair
    // do.
    [[nodiscard]] virtual bool compare_across_submissions() const = 0;

    // A pair for Submission::timestamps on the engine. Errors: kInvalidArgument (no such engine), kNotSupported, the
    // driver's own.
    [[nodiscard]] virtual Result<TimestampPairId> create(EngineId engine) = 0;
    // No unfinished submission names it.
    virtual void destroy(TimestampPairId pair) = 0;

    // After the submission that named it is over; it may be named again then. Errors: kInvalidArgument (no such pair),
    // kDriverFailure (nothing was written), the driver's own.
    [[nodiscard]] virtual Result<TimestampPair> read(TimestampPairId pair) = 0;

    // Errors: kInvalidArgument (no such engine), kNotSupported, the driver's own.
    [[nodiscard]] virtual Result<ClockMoment> calibrate(EngineId engine) = 0;
};

}  // namespace heapwright::device
