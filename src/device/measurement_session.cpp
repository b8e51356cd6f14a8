#include "device/measurement_session.hpp"

#include <algorithm>
#include <cmath>

#include <fmt/format.h>

#include "core/text.hpp"

namespace heapwright::device {

namespace {

struct Judgement {
    model::Steadiness answer = model::Steadiness::kTooFewSamples;
    std::string figures;
};

// One that did not settle outweighs one that is not known, and that one a steady one.
bool is_worse(model::Steadiness answer, model::Steadiness than) {
    return answer != model::Steadiness::kSteady && than != model::Steadiness::kDidNotSettle && answer != than;
}

Judgement judge_all(std::span<const double> samples) {
    if (samples.size() < 2 * kWindow)
        return {.figures = fmt::format("{} of the {} to judge", counted(samples.size(), "sample"), 2 * kWindow)};
    std::vector<double> blocks;
    const std::size_t per_block = samples.size() > kMaxSamples ? samples.size() / (2 * kWindow) : 1;
    if (per_block > 1) blocks = block_medians(samples);
    const SteadinessFinding finding = judge_steadiness(per_block > 1 ? blocks : samples);
    return {
        .answer = finding.answer == Steadiness::kSteady ? model::Steadiness::kSteady : model::Steadiness::kDidNotSettle,
        .figures = fmt::format("medians of the last two times {} {} {:.4g} and {:.4g}, difference allowed {:.2g}, "
                               "trend {} of {}",
                               kWindow, per_block > 1 ? fmt::format("blocks of {} samples", per_block) : "samples",
                               finding.earlier_median, finding.later_median, finding.allowed_difference, finding.trend,
                               kTrendLimit)};
}

}  // namespace

model::MeasurementSteadiness judge_by_measurements(std::span<const double> samples, const std::string& reason) {
    Judgement judgement = judge_all(samples);
    if (!reason.empty()) judgement.figures += "; " + reason;
    return {.answer = judgement.answer,
            .decided_by = model::SteadinessSource::kMeasurements,
            .passes = static_cast<std::uint32_t>(samples.size()),
            .note = std::move(judgement.figures)};
}

Result<MeasurementSession> MeasurementSession::begin(BackgroundProcessing* device, const TrainingWork& work,
                                                     const TrainingOptions& options) {
    MeasurementSession session;
    if (device == nullptr) {
        session.reason_ = "the API has no background processing";
        return session;
    }
    if (!device->supported()) {
        session.reason_ = device->unsupported_reason();
        return session;
    }
    Status worked;
    const auto watched = [&worked](const std::function<Status()>& step) {
        return [&worked, step = &step]() -> Status {
            Status done = (*step)();
            if (!done) worked = done;
            return done;
        };
    };
    const Result<TrainingResult> trained =
        train(*device, {.run = watched(work.run), .drain = watched(work.drain)}, options);
    if (!worked) return fail(worked.error());
    if (trained && trained->passes == 0) {
        session.reason_ = "there was no time to train the driver";
        return session;
    }
    if (trained) {
        session.device_ = device;
        session.training_ = *trained;
        return session;
    }
    if (trained.error().code == ErrorCode::kDeviceLost) return fail(trained.error());
    session.reason_ = to_string(trained.error());
    return session;
}

model::MeasurementSteadiness MeasurementSession::judge(std::span<const double> samples) const {
    const MeasuredSeries only{.name = {}, .samples = samples};
    return judge_together(std::span(&only, 1));
}

model::MeasurementSteadiness MeasurementSession::judge_together(std::span<const MeasuredSeries> series) const {
    model::MeasurementSteadiness steadiness;
    for (std::size_t i = 0; i < series.size(); ++i) {
        const Judgement judgement = judge_all(series[i].samples);
        if (i == 0 || is_worse(judgement.answer, steadiness.answer)) steadiness.answer = judgement.answer;
        if (i == 0) steadiness.passes = static_cast<std::uint32_t>(series[i].samples.size());
        if (!series[i].name.empty()) steadiness.note += fmt::format("{}: ", series[i].name);
        steadiness.note += judgement.figures + "; ";
    }
    if (!driver_decides()) {
        steadiness.note += reason_;
        return steadiness;
    }
    steadiness.answer = training_.steady ? model::Steadiness::kSteady : model::Steadiness::kDidNotSettle;
    steadiness.decided_by = model::SteadinessSource::kDriver;
    steadiness.passes = training_.passes;
    steadiness.note += training_.locked_down ? "profiling by the system disabled while measuring"
                                             : "not in developer mode: the driver may go on optimising";
    return steadiness;
}

Status MeasurementSession::end() {
    BackgroundProcessing* const device = std::exchange(device_, nullptr);
    return device == nullptr ? Status{} : restore(*device);
}

namespace {

struct Commit {
    bool wants_more = false;
    bool locked_down = false;
};

Result<Commit> commit(BackgroundProcessing& device, CompletionEvent& ended) {
    if (device.developer_mode()) {
        const Result<bool> more = device.set_mode(BackgroundProcessingMode::kDisableProfilingBySystem,
                                                  MeasurementsAction::kCommitResultsHighPriority, &ended);
        if (more) return Commit{.wants_more = *more, .locked_down = true};
        if (more.error().code != ErrorCode::kRefused) return fail(more.error());
    }
    // Not in the intrusive mode: what is measured next would be measured under its instrumentation.
    HEAPWRIGHT_ASSIGN(const bool more,
                      device.set_mode(BackgroundProcessingMode::kAllowed, MeasurementsAction::kCommitResults, &ended));
    return Commit{.wants_more = more};
}

Result<Commit> train_once(BackgroundProcessing& device, const TrainingWork& work, const TrainingOptions& options,
                          bool first) {
    const MeasurementsAction before = first ? MeasurementsAction::kDiscardPrevious : MeasurementsAction::kKeepAll;
    if (auto set = device.set_mode(BackgroundProcessingMode::kAllowIntrusiveMeasurements, before, nullptr); !set)
        return fail(std::move(set.error()));
    HEAPWRIGHT_TRY(work.run());
    HEAPWRIGHT_TRY(work.drain());
    CompletionEvent ended;
    HEAPWRIGHT_ASSIGN(const Commit committed, commit(device, ended));
    if (!ended.wait_for(options.commit_timeout_ns)) {
        return fail({.code = ErrorCode::kTimeLimit,
                     .message = "the driver's background work did not end",
                     .where = "SetBackgroundProcessingMode",
                     .limit = options.commit_timeout_ns});
    }
    return committed;
}

}  // namespace

Status restore(BackgroundProcessing& device) {
    if (auto set = device.set_mode(BackgroundProcessingMode::kAllowed, MeasurementsAction::kKeepAll, nullptr); !set)
        return fail(std::move(set.error()));
    return {};
}

Result<TrainingResult> train(BackgroundProcessing& device, const TrainingWork& work, const TrainingOptions& options) {
    TrainingResult result;
    SteadyClock steady_clock;
    Clock& clock = options.clock == nullptr ? steady_clock : *options.clock;
    const std::uint64_t start_ns = clock.now_ns();
    HEAPWRIGHT_TRY(work.drain());
    while (!result.steady && result.passes < options.max_passes && clock.now_ns() - start_ns < options.time_limit_ns) {
        const Result<Commit> pass = train_once(device, work, options, result.passes == 0);
        if (!pass) {
            // The first error is the one to tell; going back is all that can still be done.
            static_cast<void>(restore(device));
            return fail(pass.error());
        }
        ++result.passes;
        result.steady = !pass->wants_more;
        result.locked_down = pass->locked_down;
    }
    return result;
}

namespace {

double median(std::vector<double> values) {
    const auto middle = values.begin() + static_cast<std::ptrdiff_t>(values.size() / 2);
    std::nth_element(values.begin(), middle, values.end());
    if (values.size() % 2 == 1) return *middle;
    return (*middle + *std::max_element(values.begin(), middle)) / 2;
}

double median_absolute_deviation(std::span<const double> values, double around) {
    std::vector<double> deviations;
    for (const double value : values) deviations.push_back(std::abs(value - around));
    return median(std::move(deviations));
}

int trend_of(std::span<const double> values) {
    int trend = 0;
    for (std::size_t i = 0; i < values.size(); ++i) {
        for (std::size_t j = i + 1; j < values.size(); ++j)
            trend += (values[j] > values[i] ? 1 : 0) - (values[j] < values[i] ? 1 : 0);
    }
    return trend;
}

}  // namespace

SteadinessFinding judge_steadiness(std::span<const double> samples) {
    SteadinessFinding finding;
    if (samples.size() < 2 * kWindow) return finding;
    const std::span<const double> earlier = samples.subspan(samples.size() - 2 * kWindow, kWindow);
    const std::span<const double> later = samples.last(kWindow);
    finding.earlier_median = median({earlier.begin(), earlier.end()});
    finding.later_median = median({later.begin(), later.end()});
    const double spread = 1.4826 * median_absolute_deviation(earlier, finding.earlier_median);
    finding.allowed_difference =
        std::clamp(2 * spread / std::sqrt(static_cast<double>(kWindow)), kTolerance * finding.earlier_median,
                   kMostTolerance * finding.earlier_median);
    finding.trend = trend_of(later);
    const bool level = std::abs(finding.later_median - finding.earlier_median) <= finding.allowed_difference;
    const auto [least, most] = std::ranges::minmax(later);
    const bool moves = most - least > kTolerance * finding.later_median && std::abs(finding.trend) > kTrendLimit;
    if (level && !moves) {
        finding.answer = Steadiness::kSteady;
    } else if (samples.size() >= kMaxSamples) {
        finding.answer = Steadiness::kDidNotSettle;
    }
    return finding;
}

bool may_still_settle(std::span<const double> samples) {
    return samples.size() >= 2 * kWindow && judge_steadiness(samples).answer == Steadiness::kMeasureMore;
}

std::vector<double> block_medians(std::span<const double> samples) {
    constexpr std::size_t kBlocks = 2 * kWindow;
    const std::size_t per_block = samples.size() / kBlocks;
    if (per_block <= 1) return {samples.begin(), samples.end()};
    std::vector<double> medians;
    for (auto rest = samples.last(kBlocks * per_block); !rest.empty(); rest = rest.subspan(per_block))
        medians.push_back(median({rest.begin(), rest.begin() + static_cast<std::ptrdiff_t>(per_block)}));
    return medians;
}

}  // namespace heapwright::device
