// Brings a device to a state in which times can be compared: drain, train until the driver wants no more, lock down;
// the caller measures; then the ordinary mode comes back.
//
// Each pass asks for intrusive measurements (and discards older results on the first pass), runs the workload, drains,
// and commits; with developer mode the commit has high priority and profiling by the system is disabled with it, so
// that what is measured next is not perturbed; a runtime that refuses this gets an ordinary commit. Ends when
// FurtherMeasurementsDesired is false, after max_passes or at the time limit.
// Source: D3D12 background processing specification, analysis of a single frame.
#pragma once

#include <cstdint>
#include <functional>

#include "core/clock.hpp"
#include "device/background_processing.hpp"
#include "heapwright/core/result.hpp"

namespace heapwright::device {

struct TrainingOptions {
    std::uint32_t max_passes = 16;
    std::uint64_t commit_timeout_ns = 30'000'000'000;
    std::uint64_t time_limit_ns = ~0ull;  // of all passes: none begins later
    Clock* clock = nullptr;               // of the time limit; null: the steady clock
};

struct TrainingWork {
    std::function<Status()> run;
    std::function<Status()> drain;  // every queue idle: the device has passed all submitted work
};

struct TrainingResult {
    std::uint32_t passes = 0;
    bool steady = false;       // false: the driver still wanted more after the last pass
    bool locked_down = false;  // profiling is disabled until restore()
};

// Errors: the work's; the seam's; kTimeLimit when a commit does not end. The ordinary mode is back then.
[[nodiscard]] Result<TrainingResult> train(BackgroundProcessing& device, const TrainingWork& work,
                                           const TrainingOptions& options = {});

// Back to the default: background work allowed.
[[nodiscard]] Status restore(BackgroundProcessing& device);

}  // namespace heapwright::device
