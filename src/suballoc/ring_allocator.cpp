#include "heapwright/suballoc/ring_allocator.hpp"

#include <fmt/format.h>

namespace heapwright::suballoc {

Result<RingAllocator> RingAllocator::create(const RingOptions& options) {
    constexpr std::uint64_t kMaxCapacity = 1ull << 62;
    if (options.capacity == 0 || options.capacity > kMaxCapacity)
        return fail({.code = ErrorCode::kInvalidArgument,
                     .message = "the capacity is 0 or above 2^62",
                     .value = options.capacity,
                     .limit = kMaxCapacity});
    return RingAllocator(options.capacity);
}

AllocateResult RingAllocator::wrap_or_refuse(std::uint64_t size, std::uint64_t alignment) {
    if (size == 0) return tl::unexpected(AllocateFailure::kZeroSize);
    if (!is_alignment(alignment)) return tl::unexpected(AllocateFailure::kBadAlignment);
    if (size > capacity_) return tl::unexpected(AllocateFailure::kTooLarge);
    if (used_ == 0) {
        head_ = tail_ = 0;
        return take(0, size, 0);
    }
    // Offset 0 meets every alignment. A head behind its tail has wrapped already.
    if (head_ <= tail_ || size > tail_) return tl::unexpected(AllocateFailure::kExhausted);
    return take(0, size, capacity_ - head_);
}

FreeOutcome RingAllocator::free(SuballocationHandle handle) const {
    const std::uint64_t serial = static_cast<std::uint64_t>(handle.generation) << 32 | handle.index;
    const bool is_open = serial == open_serial_ && open_.count != 0;
    const bool is_pending = serial < open_serial_ && open_serial_ - serial <= frames_.size();
    return is_open || is_pending ? FreeOutcome::kDeferred : FreeOutcome::kInvalidHandle;
}

void RingAllocator::reset() {
    head_ = tail_ = used_ = count_ = largest_used_ = 0;
    open_ = {};
    frames_.clear();
    ++open_serial_;
    last_value_ = {};
}

Status RingAllocator::finish_frame(TimelineValue value) {
    if (value < last_value_)
        return fail({.code = ErrorCode::kInvalidArgument,
                     .message = "a frame's fence value is below the one before it",
                     .value = value.value,
                     .limit = last_value_.value});
    last_value_ = value;
    if (open_.count == 0) return {};  // nothing to take back
    open_.value = value;
    open_.head = head_;
    frames_.push(open_);
    open_ = {};
    ++open_serial_;
    return {};
}

std::size_t RingAllocator::release_completed(TimelineValue completed) {
    std::size_t released = 0;
    for (; !frames_.empty() && frames_.front().value <= completed; frames_.pop(), ++released) {
        const Frame& frame = frames_.front();
        used_ -= frame.size;
        count_ -= frame.count;
        tail_ = frame.head == capacity_ ? 0 : frame.head;
    }
    if (used_ == 0) head_ = tail_ = 0;
    return released;
}

Figures RingAllocator::figures() const {
    Figures figures;
    figures.capacity = capacity_;
    figures.used = used_;
    figures.suballocation_count = count_;
    figures.internal_waste = open_.skipped;
    for (std::size_t index = 0; index < frames_.size(); ++index) figures.internal_waste += frames_[index].skipped;
    for_each_range([&](std::uint64_t, std::uint64_t size, bool is_used_range) {
        if (!is_used_range) figures.add_free_range(size);
    });
    return figures;
}

Status RingAllocator::validate_invariants() const {
    const auto broken = [](std::string what) { return fail(ErrorCode::kInvariantBroken, std::move(what)); };
    if (head_ > capacity_ || tail_ >= capacity_ || used_ > capacity_)
        return broken(fmt::format("head {}, tail {} or used {} is outside of {}", head_, tail_, used_, capacity_));
    std::uint64_t used = open_.size;
    std::uint64_t count = open_.count;
    std::uint64_t begin = tail_;
    const auto follows = [&](std::uint64_t from, std::uint64_t size, std::uint64_t to) {
        const std::uint64_t end = from + size;
        return end == to || (end > capacity_ && end - capacity_ == to);
    };
    for (std::size_t index = 0; index < frames_.size(); ++index) {
        const Frame& frame = frames_[index];
        if (!follows(begin, frame.size, frame.head))
            return broken(
                fmt::format("frame {} of {} from {} does not end at {}", index, frame.size, begin, frame.head));
        begin = frame.head == capacity_ ? 0 : frame.head;
        used += frame.size;
        count += frame.count;
    }
    if (used_ != 0 && open_.size != 0 && !follows(begin, open_.size, head_))
        return broken(fmt::format("the open frame of {} from {} does not end at {}", open_.size, begin, head_));
    if (used != used_ || count != count_)
        return broken(fmt::format("{} used by {}, {} and {} are counted", used, count, used_, count_));
    std::uint64_t visited_used = 0;
    std::uint64_t visited = 0;
    for_each_range([&](std::uint64_t, std::uint64_t size, bool is_used_range) {
        visited += size;
        visited_used += is_used_range ? size : 0;
    });
    if (visited != capacity_ || visited_used != used_)
        return broken(
            fmt::format("the ranges add up to {} used of {}, not {} of {}", visited_used, visited, used_, capacity_));
    return {};
}

}  // namespace heapwright::suballoc
