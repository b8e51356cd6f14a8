#include "device/work_queue_state.hpp"

#include <algorithm>

namespace heapwright::device {

bool WorkQueueState::accepts() const {
    if (shut_down_) return false;
    if (changing_ && commits(*changing_)) return true;
    return !disables_work(mode_);
}

std::optional<WorkItemId> WorkQueueState::submit() {
    if (!accepts()) return std::nullopt;
    queue_.push_back(next_item_);
    return next_item_++;
}

void WorkQueueState::begin_mode_change(BackgroundProcessingMode mode, MeasurementsAction action) {
    mode_ = mode;
    changing_ = action;
}

std::optional<CommitId> WorkQueueState::end_mode_change() {
    const bool committed = changing_ && commits(*changing_);
    const bool high_priority = changing_ == MeasurementsAction::kCommitResultsHighPriority;
    changing_.reset();
    if (!committed) return std::nullopt;
    const CommitId id = next_commit_++;
    const std::size_t items = queue_.size() + running_;
    if (items > 0) commits_.push_back({id, next_item_ - 1, items, high_priority});
    return id;
}

bool WorkQueueState::boosted() const {
    return std::any_of(commits_.begin(), commits_.end(), [](const Commit& commit) { return commit.high_priority; });
}

std::optional<WorkItemId> WorkQueueState::take() {
    if (queue_.empty() || running_ >= (boosted() ? limits_.committed : limits_.idle)) return std::nullopt;
    const WorkItemId item = queue_.front();
    queue_.pop_front();
    ++running_;
    return item;
}

void WorkQueueState::finish(WorkItemId item) {
    --running_;
    leave_commits(item);
}

void WorkQueueState::leave_commits(WorkItemId item) {
    for (Commit& commit : commits_) {
        if (item <= commit.last_item) --commit.items_left;
    }
    std::erase_if(commits_, [](const Commit& commit) { return commit.items_left == 0; });
}

bool WorkQueueState::commit_ended(CommitId commit) const {
    return commit < next_commit_ &&
           std::none_of(commits_.begin(), commits_.end(), [commit](const Commit& open) { return open.id == commit; });
}

std::vector<WorkItemId> WorkQueueState::shut_down() {
    shut_down_ = true;
    std::vector<WorkItemId> cancelled(queue_.begin(), queue_.end());
    queue_.clear();
    return cancelled;
}

}  // namespace heapwright::device
