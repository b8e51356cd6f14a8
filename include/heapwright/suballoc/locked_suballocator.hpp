// LockedSuballocator<S>: any suballocator behind one mutex, for the few that several threads share. Satisfies all of
// Suballocator but the visit of ranges, which would run foreign code under the lock: with() does that openly.
// Thread-safe; moving it is not. An uncontended lock costs about as much as the allocation itself: heapwright's own
// pools hold one lock a bucket instead and keep the suballocators below it bare. This one, with ThreadCache before it,
// is offered to engines (measured in tests/bench, locked_churn and cached_churn).
#pragma once

#include <cstdint>
#include <memory>
#include <mutex>
#include <utility>

#include "heapwright/suballoc/suballocator.hpp"

namespace heapwright::suballoc {

template <Suballocator S>
class LockedSuballocator {
public:
    explicit LockedSuballocator(S allocator) : state_(std::make_unique<State>(std::move(allocator))) {}

    [[nodiscard]] AllocateResult allocate(std::uint64_t size, std::uint64_t alignment = 1) {
        const std::lock_guard lock(state_->mutex);
        return state_->allocator.allocate(size, alignment);
    }
    FreeOutcome free(SuballocationHandle handle) {
        const std::lock_guard lock(state_->mutex);
        return state_->allocator.free(handle);
    }
    void reset() {
        const std::lock_guard lock(state_->mutex);
        state_->allocator.reset();
    }
    [[nodiscard]] std::uint64_t capacity() const { return state_->capacity; }
    [[nodiscard]] std::uint64_t used() const {
        const std::lock_guard lock(state_->mutex);
        return state_->allocator.used();
    }
    [[nodiscard]] std::uint64_t suballocation_count() const {
        const std::lock_guard lock(state_->mutex);
        return state_->allocator.suballocation_count();
    }
    [[nodiscard]] Figures figures() const {
        const std::lock_guard lock(state_->mutex);
        return state_->allocator.figures();
    }
    [[nodiscard]] Status validate_invariants() const {
        const std::lock_guard lock(state_->mutex);
        return state_->allocator.validate_invariants();
    }
    // Runs use(S&) under the lock; it must not call back into this object.
    template <class Use>
    decltype(auto) with(Use&& use) {
        const std::lock_guard lock(state_->mutex);
        return std::forward<Use>(use)(state_->allocator);
    }

private:
    struct State {
        explicit State(S moved) : allocator(std::move(moved)), capacity(allocator.capacity()) {}
        std::mutex mutex;
        S allocator;
        const std::uint64_t capacity;
    };

    std::unique_ptr<State> state_;
};

}  // namespace heapwright::suballoc
