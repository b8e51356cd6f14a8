// How the engines of a device work together, measured through the seams alone, so that every backend is measured alike:
// what two engines gain by working at the same time, how fast each copies in each direction and what a copy takes by
// its size, how long a signal takes from one to another and to and from the host, and which latencies serve the two
// pipelines of compute and graphics and of copies and graphics.
//
// The loads are calibrated so that each alone takes about `load_ns`. Samples of what is compared alternate, so that a
// slow moment of the machine falls on all of them; the figures are medians. Times are the device's, by the
// timestamps that the engines write; those of engines without are the host's, from the first submission until it sees
// the last end. Everything is given back at the end.
// Source: "Multi-engine synchronization" (Direct3D 12 programming guide); "D3D12 background processing" for the frame
// around the measurements.
#pragma once

#include <cstdint>
#include <functional>
#include <string_view>

#include "core/clock.hpp"
#include "device/device.hpp"
#include "heapwright/core/result.hpp"
#include "heapwright/model/engine_measurements.hpp"
#include "probe/driver_failure.hpp"

namespace heapwright::probe {

// On a device that copies eight MiB in less than a tenth of a load's time, as graphics cards do: its loads are as long
// as they should be and no longer, so that more of them are due.
inline constexpr std::uint64_t kQuickTimes = 2;
inline constexpr std::uint64_t kQuickCurveTimes = 16;  // of copies by size, so that those of a GiB are among them

struct EngineMeasurementOptions {
    // For all of it, and kQuickTimes as much on a device whose loads are quick; beyond it each figure still gets three
    // samples, those of signals ten, the settings of the pipelines one run up to four times the time.
    std::uint64_t time_budget_ns = 400'000'000;
    std::uint64_t curve_time_budget_ns = 100'000'000;  // for copies by size, beside it; kQuickCurveTimes as much there
    std::uint64_t time_limit_ns = ~0ull;               // of all, by which copies by size end
    std::uint64_t memory_limit_bytes = 0;              // never more alive at once
    std::uint64_t host_limit_bytes = ~0ull;  // of it, and of ordinary memory, in the host's, by copies by size
    std::uint64_t load_ns = 1'000'000;
    std::uint32_t samples = 15;                                          // at most, of a figure
    Clock* clock = nullptr;                                              // steady time when null; outlives the call
    std::function<void(std::string_view stage, double share)> progress;  // may be empty
    FailureFunction on_failure;                                          // may be empty
};

// What could not be measured is in `skipped` with its reason. Errors: kInterrupted, kDeviceLost, kTimeLimit (work that
// does not end), kExhausted (the memory limit), kNotSupported (the device runs no work).
[[nodiscard]] Result<model::EngineMeasurements> measure_engines(device::Device& device,
                                                                const EngineMeasurementOptions& options);

}  // namespace heapwright::probe
