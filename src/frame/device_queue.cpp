#include "frame/device_queue.hpp"

#include <utility>

namespace heapwright::frame {

DeviceQueue::DeviceQueue(device::Device& device, device::EngineId engine, std::unique_ptr<device::Timeline> fence)
    : device_(device), engine_(engine), fence_(std::move(fence)), allocators_(*device.recorder(), engine) {}

Result<std::unique_ptr<DeviceQueue>> DeviceQueue::create(device::Device& device, device::EngineId engine) {
    HEAPWRIGHT_ASSIGN(auto fence, device.create_timeline(0));
    return std::unique_ptr<DeviceQueue>(new DeviceQueue(device, engine, std::move(fence)));
}

Result<std::uint64_t> DeviceQueue::submit(std::span<const device::TimelinePoint> waits,
                                          std::span<const device::Work> work,
                                          std::span<const device::CommandListId> lists) {
    const std::lock_guard lock(mutex_);
    if (lost_) return fail(*lost_);
    const std::uint64_t number = clock_.next();
    const device::TimelinePoint signal{.timeline = fence_.get(), .value = TimelineValue{number + 1}};
    if (Status submitted = device_.submitter().submit(
            {.engine = engine_, .waits = waits, .work = work, .signals = {&signal, 1}, .lists = lists});
        !submitted) {
        if (submitted.error().code == ErrorCode::kDeviceLost) lost_ = submitted.error();
        return fail(std::move(submitted.error()));
    }
    clock_.advance();
    return number;
}

void DeviceQueue::give_back_unsubmitted(device::CommandAllocatorId allocator) {
    const std::lock_guard lock(mutex_);
    allocators_.give_back(allocator, lost_ ? TimelineValue{~0ull} : TimelineValue{});
}

Result<TimelineValue> DeviceQueue::poll() {
    HEAPWRIGHT_ASSIGN(const TimelineValue completed, fence_->completed());
    // Another thread may have asked later and be here first.
    std::uint64_t known = completed_.load(std::memory_order_relaxed);
    while (known < completed.value &&
           !completed_.compare_exchange_weak(known, completed.value, std::memory_order_release)) {
    }
    return completed;
}

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
