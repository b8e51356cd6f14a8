// The background work queue: runs submitted work items on its own threads, at most two at a time and at idle priority
// unless `idle_priority` is false, so that the critical path is left alone; while a high-priority commit is unfinished,
// more threads at normal priority.
//
// Guarantees: exactly one of an item's two functions is called, once; items start in the order of their submission;
// running items end before the destructor returns, queued ones are cancelled by it, on its thread. While background
// work is disabled, submit() calls `cancel` on the caller's thread before it returns; items accepted before still run.
// Thread-safety: all calls from any thread. An item's function calls neither drain() nor the destructor, which wait for
// it, and changes no mode; nor does the driver's answer to a change.
// Source: D3D12 background processing specification.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <thread>

#include "heapwright/core/completion_event.hpp"
#include "heapwright/core/result.hpp"

namespace heapwright::device {

// D3D12_BACKGROUND_PROCESSING_MODE
enum class BackgroundProcessingMode : std::uint8_t {
    kAllowed,
    kAllowIntrusiveMeasurements,
    kDisableBackgroundWork,     // developer mode only
    kDisableProfilingBySystem,  // developer mode only
};

// D3D12_MEASUREMENTS_ACTION
enum class MeasurementsAction : std::uint8_t {
    kKeepAll,
    kCommitResults,
    kCommitResultsHighPriority,  // developer mode only
    kDiscardPrevious,
};

[[nodiscard]] constexpr bool disables_work(BackgroundProcessingMode mode) {
    return mode == BackgroundProcessingMode::kDisableBackgroundWork ||
           mode == BackgroundProcessingMode::kDisableProfilingBySystem;
}

[[nodiscard]] constexpr bool commits(MeasurementsAction action) {
    return action == MeasurementsAction::kCommitResults || action == MeasurementsAction::kCommitResultsHighPriority;
}

[[nodiscard]] constexpr bool needs_developer_mode(BackgroundProcessingMode mode, MeasurementsAction action) {
    return disables_work(mode) || action == MeasurementsAction::kCommitResultsHighPriority;
}

using WorkItemId = std::uint64_t;
using CommitId = std::uint64_t;

struct ThreadLimits {
    std::uint32_t idle = 2;
    std::uint32_t committed = 4;
};

struct WorkItem {
    std::function<void()> callback;
    std::function<void()> cancel;  // may be empty
};

struct TraceEvent {
    enum class Kind : std::uint8_t { kStart, kEnd, kCancel };
    Kind kind = Kind::kStart;
    WorkItemId item = 0;  // 0: cancelled before it got a number
    std::uint64_t time_ns = 0;
    std::thread::id thread;
    bool high_priority = false;
};

// How a driver answers a change of mode: it may submit items, and says whether it would like to measure more.
using ModeListener = std::function<bool(BackgroundProcessingMode, MeasurementsAction)>;

struct ProcessorOptions {
    ThreadLimits threads;
    bool idle_priority = true;  // false: the ordinary threads run at normal priority too
    bool developer_mode = false;
    ModeListener listener;                         // empty: a driver without support; changes do nothing more
    std::function<void(const TraceEvent&)> trace;  // from any thread, no lock held
};

class BackgroundProcessor {
public:
    explicit BackgroundProcessor(ProcessorOptions options);
    ~BackgroundProcessor();
    BackgroundProcessor(const BackgroundProcessor&) = delete;
    BackgroundProcessor& operator=(const BackgroundProcessor&) = delete;

    // Whether the item was queued; else it was cancelled.
    bool submit(WorkItem item);

    // Gives FurtherMeasurementsDesired. `completed` is signalled when every item of the commit has ended.
    // Errors: kInvalidArgument (an event without a commit), kRefused (needs developer mode); nothing changed then.
    [[nodiscard]] Result<bool> set_mode(BackgroundProcessingMode mode, MeasurementsAction action,
                                        CompletionEvent* completed);

    // Returns when nothing is queued or running.
    void drain();

    [[nodiscard]] std::size_t queued_count() const;
    [[nodiscard]] std::size_t running_count() const;

private:
    struct Impl;
    std::unique_ptr<Impl> impl_;
};

}  // namespace heapwright::device
