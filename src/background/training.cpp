#include "heapwright/background/training.hpp"

namespace heapwright::background {
namespace {

Result<bool> train_once(BackgroundProcessing& device, const TrainingWork& work, const TrainingOptions& options,
                        bool first) {
    const Action before = first ? Action::kDiscardPrevious : Action::kKeepAll;
    if (auto set = device.set_mode(Mode::kAllowIntrusiveMeasurements, before, nullptr); !set)
        return fail(std::move(set.error()));
    HEAPWRIGHT_TRY(work.run());
    HEAPWRIGHT_TRY(work.drain());
    CompletionEvent committed;
    const bool developer = device.developer_mode();
    HEAPWRIGHT_ASSIGN(
        const bool more,
        device.set_mode(developer ? Mode::kDisableProfilingBySystem : Mode::kAllowIntrusiveMeasurements,
                        developer ? Action::kCommitResultsHighPriority : Action::kCommitResults, &committed));
    if (!committed.wait_for(options.commit_timeout_ns)) {
        return fail({.code = ErrorCode::kTimeLimit,
                     .message = "the driver's background work did not end",
                     .where = "SetBackgroundProcessingMode",
                     .limit = options.commit_timeout_ns});
    }
    return more;
}

}  // namespace

Status restore(BackgroundProcessing& device) {
    if (auto set = device.set_mode(Mode::kAllowed, Action::kKeepAll, nullptr); !set)
        return fail(std::move(set.error()));
    return {};
}

Result<TrainingResult> train(BackgroundProcessing& device, const TrainingWork& work, const TrainingOptions& options) {
    TrainingResult result;
    HEAPWRIGHT_TRY(work.drain());
    while (!result.steady && result.passes < options.max_passes) {
        const Result<bool> more = train_once(device, work, options, result.passes == 0);
        if (!more) {
            // The first error is the one to tell; going back is all that can still be done.
            static_cast<void>(restore(device));
            return fail(more.error());
        }
        ++result.passes;
        result.steady = !*more;
    }
    result.locked_down = device.developer_mode();
    return result;
}

}  // namespace heapwright::background
