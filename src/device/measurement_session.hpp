// The time in which measurements are taken: begin() drains the device and trains its driver until that wants no more,
// then locks it down; the caller measures; end() brings the ordinary mode back. Where the API or the driver has no
// background processing, the measurements themselves decide whether they were steady (steadiness.hpp).
//
//   drain -> [run the work, drain, commit] until steady -> (locked down) measure -> judge() -> end()
//
// Move-only; its destructor ends the session. The device outlives it. Not thread-safe.
// Source: D3D12 background processing specification, analysis of a single frame.
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <utility>

#include "device/background_processing.hpp"
#include "device/training.hpp"
#include "heapwright/core/result.hpp"
#include "heapwright/model/engine_measurements.hpp"

namespace heapwright::device {

// Measurements of one kind, all that were taken and in their order.
struct MeasuredSeries {
    std::string_view name;
    std::span<const double> samples;
};

class MeasurementSession {
public:
    // `device` is null where the API has no background processing; then, and where the driver takes no advantage of
    // it, the work is not run. Errors: the work's, kDeviceLost. A driver that refuses or does not end its work is none:
    // the measurements decide then, and the note says so.
    [[nodiscard]] static Result<MeasurementSession> begin(BackgroundProcessing* device, const TrainingWork& work,
                                                          const TrainingOptions& options = {});

    MeasurementSession(MeasurementSession&& other) noexcept
        : device_(std::exchange(other.device_, nullptr)),
          training_(other.training_),
          reason_(std::move(other.reason_)) {}
    MeasurementSession& operator=(MeasurementSession&&) = delete;
    MeasurementSession(const MeasurementSession&) = delete;
    MeasurementSession& operator=(const MeasurementSession&) = delete;
    ~MeasurementSession() { static_cast<void>(end()); }

    [[nodiscard]] bool driver_decides() const { return reason_.empty(); }

    // Whether `samples`, all that were taken and in their order, were steady: the driver's answer where it gave one.
    [[nodiscard]] model::MeasurementSteadiness judge(std::span<const double> samples) const;
    // One answer for several, the worst one's: did not settle, too few samples, steady.
    [[nodiscard]] model::MeasurementSteadiness judge_together(std::span<const MeasuredSeries> series) const;

    // Back to the ordinary mode; a second call does nothing.
    [[nodiscard]] Status end();

private:
    MeasurementSession() = default;

    BackgroundProcessing* device_ = nullptr;  // null: nothing to restore
    TrainingResult training_;
    std::string reason_;  // why the driver does not decide
};

// The measurements' own answer, with the rule's figures and `reason` as its note. A series of more than kMaxSamples is
// judged by the medians of its blocks.
[[nodiscard]] model::MeasurementSteadiness judge_by_measurements(std::span<const double> samples,
                                                                 const std::string& reason);

}  // namespace heapwright::device
