#include "device/training.hpp"

namespace heapwright::device {
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

}  // namespace heapwright::device
