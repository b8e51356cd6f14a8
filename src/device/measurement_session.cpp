#include "device/measurement_session.hpp"

#include <fmt/format.h>

#include "core/count_text.hpp"
#include "device/steadiness.hpp"

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

}  // namespace heapwright::device
