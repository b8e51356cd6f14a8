// The time in which measurements are taken: begin() drains the device and trains its driver until that wants no more,
// then locks it down; the caller measures; end() brings the ordinary mode back. Where the API or the driver has no
// background processing, the measurements themselves decide whether they were steady.
//
//   drain -> [run the work, drain, commit] until steady -> (locked down) measure -> judge() -> end()
//
// Move-only; its destructor ends the session. The device outlives it. Not thread-safe.
// Source: D3D12 background processing specification, analysis of a single frame.
// Beside it: the training of a driver, and the rule by which figures are steady.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "core/clock.hpp"
#include "device/background_processing.hpp"
#include "heapwright/core/result.hpp"
#include "heapwright/model/engine_measurements.hpp"

namespace heapwright::device {

// Brings a device to a state in which times can be compared: drain, train until the driver wants no more, lock down;
// the caller measures; then the ordinary mode comes back.
//
// Each pass asks for intrusive measurements (and discards older results on the first pass), runs the workload, drains,
// and commits; with developer mode the commit has high priority and profiling by the system is disabled with it, so
// that what is measured next is not perturbed; a runtime that refuses this gets an ordinary commit. Ends when
// FurtherMeasurementsDesired is false, after max_passes or at the time limit.
// Source: D3D12 background processing specification, analysis of a single frame.

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

// Decides from repeated measurements alone whether what is measured has settled.
//
// Rule: with the last 2 * kWindow samples cut into an earlier and a later half, the series is steady when
//   |median(later) - median(earlier)| <= max(kTolerance * median(earlier), 1.4826 * MAD(earlier) * 2 / sqrt(kWindow)),
//   and in no case more than kMostTolerance * median(earlier): a series that swings this far has no level yet,
// and the later half spans no more than kTolerance of its median or has no trend: of its pairs of samples (i < j),
// neither the rising nor the falling ones exceed the share that Mann and Kendall's test allows at 5% (two-sided) for
// kWindow samples. A series that has not met the rule when kMaxSamples are in "did not settle", which is an answer.
// Sources: Mann 1945, Kendall 1975 (trend); Rousseeuw and Croux 1993 (median absolute deviation).

inline constexpr std::size_t kWindow = 8;
inline constexpr std::size_t kMaxSamples = 64;
inline constexpr double kTolerance = 0.02;
inline constexpr double kMostTolerance = 0.10;
inline constexpr int kTrendLimit = 16;  // |S| of Mann and Kendall for 8 samples: P(|S| >= 16) = 0.062, so above it

enum class Steadiness : std::uint8_t { kMeasureMore, kSteady, kDidNotSettle };

struct SteadinessFinding {
    Steadiness answer = Steadiness::kMeasureMore;
    double earlier_median = 0;
    double later_median = 0;
    double allowed_difference = 0;
    int trend = 0;  // rising pairs minus falling pairs of the later half
};

// `samples`, none negative, in the order in which they were taken.
[[nodiscard]] SteadinessFinding judge_steadiness(std::span<const double> samples);

// Whether more samples could still make it steady: there are enough to judge, it is not, and it is not given up.
[[nodiscard]] bool may_still_settle(std::span<const double> samples);

// A long series as one that the rule sees whole: the medians of 2 * kWindow equal blocks of it. Shorter than that, the
// series itself; what does not fill the blocks is left out at its beginning.
[[nodiscard]] std::vector<double> block_medians(std::span<const double> samples);

}  // namespace heapwright::device
