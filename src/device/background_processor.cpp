#include "heapwright/device/background_processor.hpp"

#include <chrono>
#include <condition_variable>
#include <mutex>
#include <unordered_map>
#include <utility>
#include <vector>

#include "device/thread_priority.hpp"
#include "device/work_queue_state.hpp"

namespace heapwright::device {
namespace {

std::uint64_t now_ns() {
    return static_cast<std::uint64_t>(
        std::chrono::duration_cast<std::chrono::nanoseconds>(std::chrono::steady_clock::now().time_since_epoch())
            .count());
}

}  // namespace

struct BackgroundProcessor::Impl {
    explicit Impl(ProcessorOptions given) : options(std::move(given)), state(options.threads) {
        // Threads do not change their priority: an unprivileged one could not leave the idle class again on Linux.
        for (std::uint32_t i = 0; i < options.threads.idle; ++i) workers.emplace_back([this] { work(false); });
        for (std::uint32_t i = 0; i < options.threads.committed; ++i) workers.emplace_back([this] { work(true); });
    }

    void trace(TraceEvent::Kind kind, WorkItemId item, bool high_priority) const {
        if (options.trace) options.trace({kind, item, now_ns(), std::this_thread::get_id(), high_priority});
    }

    void cancel(WorkItemId id, const WorkItem& item) const {
        trace(TraceEvent::Kind::kCancel, id, false);
        if (item.cancel) item.cancel();
    }

    void work(bool high_priority) {
        if (!high_priority && options.idle_priority) set_thread_priority(ThreadPriority::kIdle);
        std::condition_variable& wake = high_priority ? wake_boosted : wake_idle;
        std::unique_lock lock(mutex);
        while (true) {
            std::optional<WorkItemId> id;
            wake.wait(lock, [&] {
                if (!stopping && state.boosted() == high_priority) id = state.take();
                return stopping || id.has_value();
            });
            if (!id) return;
            WorkItem item = std::move(items.extract(*id).mapped());
            lock.unlock();
            trace(TraceEvent::Kind::kStart, *id, high_priority);
            item.callback();
            item = {};  // what the item holds ends before its commit does
            trace(TraceEvent::Kind::kEnd, *id, high_priority);
            lock.lock();
            state.finish(*id);
            after_change();
        }
    }

    // With the lock held: tells whom it may concern that items came, ended or changed their class.
    void after_change() {
        signal_ended_commits();
        if (state.queued_count() > 0) (state.boosted() ? wake_boosted : wake_idle).notify_all();
        if (state.queued_count() + state.running_count() == 0) idle.notify_all();
    }

    // With the lock held.
    void signal_ended_commits() {
        std::erase_if(events, [this](std::pair<CommitId, CompletionEvent>& waiting) {
            if (!state.commit_ended(waiting.first)) return false;
            waiting.second.signal();
            return true;
        });
    }

    ProcessorOptions options;
    std::mutex mode_mutex;  // one change of mode at a time; taken before `mutex`
    mutable std::mutex mutex;
    std::condition_variable wake_idle;
    std::condition_variable wake_boosted;
    std::condition_variable idle;
    WorkQueueState state;
    std::unordered_map<WorkItemId, WorkItem> items;
    std::vector<std::pair<CommitId, CompletionEvent>> events;
    bool stopping = false;
    std::vector<std::thread> workers;
};

BackgroundProcessor::BackgroundProcessor(ProcessorOptions options)
    : impl_(std::make_unique<Impl>(std::move(options))) {}

BackgroundProcessor::~BackgroundProcessor() {
    std::vector<std::pair<WorkItemId, WorkItem>> cancelled;
    {
        const std::lock_guard lock(impl_->mutex);
        impl_->stopping = true;
        for (const WorkItemId id : impl_->state.shut_down())
            cancelled.emplace_back(id, std::move(impl_->items.extract(id).mapped()));
        impl_->wake_idle.notify_all();
        impl_->wake_boosted.notify_all();
    }
    for (std::thread& worker : impl_->workers) worker.join();
    for (const auto& [id, item] : cancelled) impl_->cancel(id, item);
    const std::lock_guard lock(impl_->mutex);
    for (const auto& [id, item] : cancelled) impl_->state.end_cancelled(id);
    impl_->signal_ended_commits();
}

bool BackgroundProcessor::submit(WorkItem item) {
    {
        const std::lock_guard lock(impl_->mutex);
        if (const std::optional<WorkItemId> id = impl_->state.submit()) {
            impl_->items.emplace(*id, std::move(item));
            (impl_->state.boosted() ? impl_->wake_boosted : impl_->wake_idle).notify_one();
            return true;
        }
    }
    impl_->cancel(0, item);
    return false;
}

Result<bool> BackgroundProcessor::set_mode(BackgroundProcessingMode mode, MeasurementsAction action,
                                           CompletionEvent* completed) {
    if (completed && !commits(action)) {
        return fail(ErrorCode::kInvalidArgument, "a completion event is given, but the action commits nothing",
                    "SetBackgroundProcessingMode");
    }
    if (!impl_->options.developer_mode &&
        (disables_work(mode) || action == MeasurementsAction::kCommitResultsHighPriority)) {
        return fail(ErrorCode::kRefused, "disabling background work and high-priority commits need developer mode",
                    "SetBackgroundProcessingMode");
    }
    const std::lock_guard one_change(impl_->mode_mutex);
    {
        const std::lock_guard lock(impl_->mutex);
        impl_->state.begin_mode_change(mode, action);
    }
    const bool more = impl_->options.listener && impl_->options.listener(mode, action);
    const std::lock_guard lock(impl_->mutex);
    if (const std::optional<CommitId> commit = impl_->state.end_mode_change(); commit && completed)
        impl_->events.emplace_back(*commit, *completed);
    impl_->after_change();
    return more;
}

void BackgroundProcessor::drain() {
    std::unique_lock lock(impl_->mutex);
    impl_->idle.wait(lock, [this] { return impl_->state.queued_count() + impl_->state.running_count() == 0; });
}

std::size_t BackgroundProcessor::queued_count() const {
    const std::lock_guard lock(impl_->mutex);
    return impl_->state.queued_count();
}

std::size_t BackgroundProcessor::running_count() const {
    const std::lock_guard lock(impl_->mutex);
    return impl_->state.running_count();
}

}  // namespace heapwright::device
