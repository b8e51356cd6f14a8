#include "frame/command_allocator_pool.hpp"

namespace heapwright::frame {

CommandAllocatorPool::~CommandAllocatorPool() {
    for (const device::CommandAllocatorId allocator : all_) recorder_.destroy(allocator);
}

Result<device::CommandAllocatorId> CommandAllocatorPool::take(TimelineValue completed) {
    {
        std::unique_lock lock(mutex_);
        if (!waiting_.empty() && waiting_.front().last_use <= completed) {
            const device::CommandAllocatorId allocator = waiting_.front().allocator;
            waiting_.pop();
            ++reused_;
            lock.unlock();
            if (Status reset = recorder_.reset(allocator); !reset) {
                give_back(allocator, completed);
                return fail(std::move(reset.error()));
            }
            return allocator;
        }
    }
    HEAPWRIGHT_ASSIGN(const device::CommandAllocatorId made, recorder_.create_allocator(engine_));
    const std::lock_guard lock(mutex_);
    all_.push_back(made);
    return made;
}

void CommandAllocatorPool::give_back(device::CommandAllocatorId allocator, TimelineValue last_use) {
    const std::lock_guard lock(mutex_);
    waiting_.push({.allocator = allocator, .last_use = last_use});
}

std::uint64_t CommandAllocatorPool::created_count() const {
    const std::lock_guard lock(mutex_);
    return all_.size();
}

std::uint64_t CommandAllocatorPool::reused_count() const {
    const std::lock_guard lock(mutex_);
    return reused_;
}

}  // namespace heapwright::frame
