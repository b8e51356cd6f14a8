// What a background work queue decides, without its threads: which item runs next, how many may run at once, what a
// submission meets, when a commit has ended. One call at a time; the queue around it holds the lock, and a test walks
// every interleaving of the calls.
//
//   submit --> queued --take--> running --finish--> ended (callback ran)
//         `--> cancelled at once             queued --shut_down--> cancelled
//
// Guarantees: items are taken in the order in which they came; each is either taken or cancelled, once; at most
// idle_threads run at a time, committed_threads while a high-priority commit has items left; when background work is
// disabled, items that were accepted before still run and later ones are cancelled, except while a mode change that
// disables and commits is being made.
// Source: D3D12 background processing specification.
#pragma once

#include <cstddef>
#include <cstdint>
#include <deque>
#include <optional>
#include <vector>

#include "heapwright/device/background_processor.hpp"

namespace heapwright::device {

class WorkQueueState {
public:
    explicit WorkQueueState(ThreadLimits limits) : limits_(limits) {}

    // Empty: cancel it at once.
    [[nodiscard]] std::optional<WorkItemId> submit();

    // What the driver submits between the two calls answers the change. One change at a time.
    void begin_mode_change(BackgroundProcessingMode mode, MeasurementsAction action);
    // The commit that the change made, whose items are all that were queued or running now. It may have ended already.
    [[nodiscard]] std::optional<CommitId> end_mode_change();

    // Empty: nothing is queued, or as many run as may.
    [[nodiscard]] std::optional<WorkItemId> take();
    void finish(WorkItemId item);

    // A high-priority commit has items left: items run on more threads, above idle priority.
    [[nodiscard]] bool boosted() const;

    [[nodiscard]] bool commit_ended(CommitId commit) const;

    // From now on nothing is accepted or taken. The items to cancel, oldest first; each ends with end_cancelled().
    [[nodiscard]] std::vector<WorkItemId> shut_down();
    void end_cancelled(WorkItemId item) { leave_commits(item); }

    [[nodiscard]] std::size_t queued_count() const { return queue_.size(); }
    [[nodiscard]] std::size_t running_count() const { return running_; }
    [[nodiscard]] bool accepts() const;

private:
    struct Commit {
        CommitId id = 0;
        WorkItemId last_item = 0;
        std::size_t items_left = 0;
        bool high_priority = false;
    };

    void leave_commits(WorkItemId item);

    ThreadLimits limits_;
    BackgroundProcessingMode mode_ = BackgroundProcessingMode::kAllowed;
    std::optional<MeasurementsAction> changing_;  // the action of the mode change that is being made
    bool shut_down_ = false;
    WorkItemId next_item_ = 1;
    CommitId next_commit_ = 1;
    std::deque<WorkItemId> queue_;
    std::size_t running_ = 0;
    std::vector<Commit> commits_;  // that have items left
};

}  // namespace heapwright::device
