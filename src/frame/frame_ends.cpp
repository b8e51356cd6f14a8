#include "frame/frame_ends.hpp"

#include <algorithm>
#include <optional>

namespace heapwright::frame {

void FrameEnds::close() {
    const std::lock_guard lock(mutex_);
    clock_.advance();
    closed_.emplace_back();
}

QueueValues FrameEnds::submitted() const {
    QueueValues values{};
    for (std::size_t queue = 0; queue < queues_.size(); ++queue) values[queue] = queues_[queue]->clock().submitted();
    return values;
}

void FrameEnds::settle() {
    // In this order.
    const std::uint64_t closed = clock_.next();
    const std::uint64_t oldest_open = std::min(closed, oldest_open_());
    const QueueValues ends = submitted();
    const std::lock_guard lock(mutex_);
    for (std::size_t i = 0; i < closed_.size() && completed_ + i < oldest_open; ++i) {
        if (!closed_[i].is_settled) closed_[i] = {.is_settled = true, .ends = ends};
    }
}

Result<TimelineValue> FrameEnds::completed() {
    settle();
    QueueValues reached{};
    for (std::size_t queue = 0; queue < queues_.size(); ++queue) {
        HEAPWRIGHT_ASSIGN(reached[queue], queues_[queue]->poll());
    }
    const auto is_over = [&](const Closed& frame) {
        if (!frame.is_settled) return false;
        for (std::size_t queue = 0; queue < queues_.size(); ++queue) {
            if (reached[queue] < frame.ends[queue]) return false;
        }
        return true;
    };
    const std::lock_guard lock(mutex_);
    for (; !closed_.empty() && is_over(closed_.front()); ++completed_) closed_.pop_front();
    return TimelineValue{completed_};
}

Status FrameEnds::wait_for(const QueueValues& values, std::uint64_t timeout_ns) {
    for (std::size_t queue = 0; queue < queues_.size(); ++queue) {
        if (queues_[queue]->last_completed() >= values[queue]) continue;
        HEAPWRIGHT_TRY(queues_[queue]->fence().wait(values[queue], timeout_ns));
        HEAPWRIGHT_TRY(queues_[queue]->poll());
    }
    return {};
}

Status FrameEnds::wait(TimelineValue value, std::uint64_t timeout_ns) {
    settle();
    std::optional<QueueValues> ends;
    {
        const std::lock_guard lock(mutex_);
        if (value.value <= completed_) return {};
        const std::uint64_t behind = value.value - completed_ - 1;
        if (behind < closed_.size() && closed_[behind].is_settled) ends = closed_[behind].ends;
    }
    if (ends) return wait_for(*ends, timeout_ns);
    return fail(Error{.code = ErrorCode::kExhausted,
                      .message = "the frame is open, or a context that was begun in it is: only its end helps",
                      .where = "frame",
                      .value = value.value - 1,
                      .limit = clock_.next()});
}

Status FrameEnds::signal(TimelineValue) {
    return fail(ErrorCode::kNotSupported, "frames end by their lists alone", "signal");
}

Status FrameEnds::signal_event(TimelineValue, CompletionEvent) {
    return fail(ErrorCode::kNotSupported, "frames signal no events", "signal_event");
}

}  // namespace heapwright::frame
