#include "heapwright/suballoc/linear_allocator.hpp"

#include <fmt/format.h>

namespace heapwright::suballoc {

Result<LinearAllocator> LinearAllocator::create(const LinearOptions& options) {
    constexpr std::uint64_t kMaxCapacity = 1ull << 62;
    if (options.capacity == 0 || options.capacity > kMaxCapacity)
        return fail({.code = ErrorCode::kInvalidArgument,
                     .message = "the capacity is 0 or above 2^62",
                     .value = options.capacity,
                     .limit = kMaxCapacity});
    return LinearAllocator(options);
}

LinearAllocator::LinearAllocator(const LinearOptions& options) : capacity_(options.capacity) {
    stack_.reserve(options.reserved_suballocations);
}

AllocateResult LinearAllocator::refuse(std::uint64_t size, std::uint64_t alignment) const {
    if (size == 0) return tl::unexpected(AllocateFailure::kZeroSize);
    if (!is_alignment(alignment)) return tl::unexpected(AllocateFailure::kBadAlignment);
    return tl::unexpected(size > capacity_ ? AllocateFailure::kTooLarge : AllocateFailure::kExhausted);
}

void LinearAllocator::pop() {
    const Entry& top = stack_.back();
    head_ = top.begin;
    padding_ -= top.offset - top.begin;
    live_count_ -= top.is_dead ? 0 : 1;
    stack_.pop_back();
}

FreeOutcome LinearAllocator::free(SuballocationHandle handle) {
    if (handle.index >= stack_.size()) return FreeOutcome::kInvalidHandle;
    Entry& entry = stack_[handle.index];
    if (entry.generation != handle.generation || entry.is_dead) return FreeOutcome::kInvalidHandle;
    if (handle.index + std::size_t{1} != stack_.size()) {
        entry.is_dead = true;
        --live_count_;
        return FreeOutcome::kDeferred;
    }
    pop();
    while (!stack_.empty() && stack_.back().is_dead) pop();
    return FreeOutcome::kFreed;
}

void LinearAllocator::reset() {
    stack_.clear();
    head_ = 0;
    padding_ = 0;
    live_count_ = 0;
}

Status LinearAllocator::rollback(const Marker& marker) {
    const bool is_on_stack = marker.depth == 0 || (marker.depth <= stack_.size() &&
                                                   stack_[marker.depth - 1].generation == marker.generation);
    if (!is_on_stack)
        return fail({.code = ErrorCode::kInvalidArgument,
                     .message = "the stack has fallen below the marker since it was taken",
                     .value = marker.depth,
                     .limit = stack_.size()});
    while (stack_.size() > marker.depth) pop();
    while (!stack_.empty() && stack_.back().is_dead) pop();
    return {};
}

Figures LinearAllocator::figures() const {
    Figures figures;
    figures.capacity = capacity_;
    figures.used = head_;
    figures.suballocation_count = live_count_;
    figures.internal_waste = padding_;
    for (std::size_t index = 0; index < stack_.size(); ++index)
        if (stack_[index].is_dead) figures.internal_waste += stack_[index + 1].begin - stack_[index].offset;
    if (head_ < capacity_) figures.add_free_range(capacity_ - head_);
    return figures;
}

Status LinearAllocator::validate_invariants() const {
    std::uint64_t end = 0;
    std::uint64_t padding = 0;
    std::uint64_t live = 0;
    for (std::size_t index = 0; index < stack_.size(); ++index) {
        const Entry& entry = stack_[index];
        const std::uint64_t next = index + 1 < stack_.size() ? stack_[index + 1].begin : head_;
        if ((index == 0 && entry.begin != 0) || entry.begin < end || entry.offset < entry.begin || next <= entry.offset)
            return fail(ErrorCode::kInvariantBroken,
                        fmt::format("suballocation {} at {} is not between {} and {}", index, entry.offset, end, next));
        end = next;
        padding += entry.offset - entry.begin;
        live += entry.is_dead ? 0 : 1;
    }
    if (end != head_ || head_ > capacity_ || padding != padding_ || live != live_count_)
        return fail(ErrorCode::kInvariantBroken,
                    fmt::format("head {} of {}, padding {} and {} live; {}, {} and {} are counted", end, capacity_,
                                padding, live, head_, padding_, live_count_));
    if (!stack_.empty() && stack_.back().is_dead)
        return fail(ErrorCode::kInvariantBroken, "the top of the stack is free and was not taken off");
    return {};
}

}  // namespace heapwright::suballoc
