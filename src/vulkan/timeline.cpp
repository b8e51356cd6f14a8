#include "vulkan/timeline.hpp"

#include <algorithm>
#include <chrono>
#include <system_error>

#include <fmt/format.h>

#include "vulkan/call.hpp"

namespace heapwright::vulkan {

Result<std::shared_ptr<TimelineSemaphore>> TimelineSemaphore::create(const OpenDevice& context,
                                                                     std::uint64_t initial_value) {
    const VkSemaphoreTypeCreateInfo type{.sType = VK_STRUCTURE_TYPE_SEMAPHORE_TYPE_CREATE_INFO,
                                         .pNext = nullptr,
                                         .semaphoreType = VK_SEMAPHORE_TYPE_TIMELINE,
                                         .initialValue = initial_value};
    const VkSemaphoreCreateInfo info{.sType = VK_STRUCTURE_TYPE_SEMAPHORE_CREATE_INFO, .pNext = &type, .flags = 0};
    VkSemaphore semaphore = VK_NULL_HANDLE;
    HEAPWRIGHT_TRY(
        check(context.call.vkCreateSemaphore(context.handle, &info, nullptr, &semaphore), "vkCreateSemaphore"));
    return std::make_shared<TimelineSemaphore>(context, semaphore);
}

TimelineSemaphore::~TimelineSemaphore() {
    context_.end_semaphore(handle_);
}

Result<std::uint64_t> TimelineSemaphore::completed() const {
    std::uint64_t value = 0;
    HEAPWRIGHT_TRY(check(context_.call.vkGetSemaphoreCounterValue(context_.handle, handle_, &value),
                         "vkGetSemaphoreCounterValue"));
    return value;
}

Status TimelineSemaphore::wait(std::uint64_t value, std::uint64_t timeout_ns) const {
    const VkSemaphoreWaitInfo info{.sType = VK_STRUCTURE_TYPE_SEMAPHORE_WAIT_INFO,
                                   .pNext = nullptr,
                                   .flags = 0,
                                   .semaphoreCount = 1,
                                   .pSemaphores = &handle_,
                                   .pValues = &value};
    const VkResult result = context_.call.vkWaitSemaphores(context_.handle, &info, timeout_ns);
    if (result == VK_TIMEOUT) {
        return fail(Error{.code = ErrorCode::kTimeLimit,
                          .message = fmt::format("the timeline did not reach {} within {} ns", value, timeout_ns),
                          .where = "vkWaitSemaphores",
                          .value = value,
                          .native_code = VK_TIMEOUT});
    }
    return check(result, "vkWaitSemaphores");
}

Status TimelineSemaphore::signal(std::uint64_t value) const {
    HEAPWRIGHT_ASSIGN(const std::uint64_t now, completed());
    if (value <= now) {
        return fail(Error{.code = ErrorCode::kInvalidArgument,
                          .message = fmt::format("a timeline only rises; it is at {} already", now),
                          .where = "vkSignalSemaphore",
                          .value = value});
    }
    const VkSemaphoreSignalInfo info{
        .sType = VK_STRUCTURE_TYPE_SEMAPHORE_SIGNAL_INFO, .pNext = nullptr, .semaphore = handle_, .value = value};
    return check(context_.call.vkSignalSemaphore(context_.handle, &info), "vkSignalSemaphore");
}

Result<TimelineValue> Timeline::completed() {
    HEAPWRIGHT_ASSIGN(const std::uint64_t value, semaphore_->completed());
    return TimelineValue{value};
}

Status Timeline::signal(TimelineValue value) {
    return waiter_.signal(*semaphore_, value.value);
}

Status Timeline::signal_event(TimelineValue value, CompletionEvent event) {
    return waiter_.add(semaphore_, value.value, std::move(event));
}

// Mesa's emulated timelines are waited for one at a time; for any of several, its common code asks each in turn until
// one is reached, at the cost of a processor (vk_sync.c, 22.3 and 25.0). The hardware drivers of Mesa have real ones.
CompletionWaiter::CompletionWaiter(const OpenDevice& context, const model::DeviceIdentity& identity)
    : context_(context), driver_spins_(identity.driver_id == "MESA_LLVMPIPE") {}

CompletionWaiter::~CompletionWaiter() {
    {
        const std::scoped_lock lock(mutex_);
        is_stopping_ = true;
        // Should this fail the device is lost, which ends the wait as well.
        if (is_waiting_) static_cast<void>(wake_->signal(++wakes_));
    }
    changed_.notify_all();
    if (thread_.joinable()) thread_.join();
    for (Awaited& awaited : awaited_) awaited.event.signal();
}

Status CompletionWaiter::start() {
    if (thread_.joinable()) return {};
    HEAPWRIGHT_ASSIGN(wake_, TimelineSemaphore::create(context_, 0));
    try {
        thread_ = std::thread([this] { run(); });
    } catch (const std::system_error& error) {
        return fail(ErrorCode::kOutOfHostMemory, error.what(), "std::thread");
    }
    return {};
}

Status CompletionWaiter::add(std::shared_ptr<TimelineSemaphore> semaphore, std::uint64_t value, CompletionEvent event) {
    const std::scoped_lock lock(mutex_);
    HEAPWRIGHT_ASSIGN(const std::uint64_t completed, semaphore->completed());
    if (completed >= value) {
        event.signal();
        return {};
    }
    HEAPWRIGHT_TRY(start());
    if (is_waiting_) HEAPWRIGHT_TRY(wake_->signal(++wakes_));
    awaited_.push_back({std::move(semaphore), value, std::move(event)});
    changed_.notify_all();
    return {};
}

Status CompletionWaiter::signal(const TimelineSemaphore& semaphore, std::uint64_t value) {
    const std::scoped_lock lock(mutex_);
    HEAPWRIGHT_TRY(semaphore.signal(value));
    changed_.notify_all();
    return {};
}

Status CompletionWaiter::wait_for_any(std::unique_lock<std::mutex>& lock) {
    // Kept here: an event may be over, and its timeline gone, before the wait returns.
    std::vector<std::shared_ptr<TimelineSemaphore>> kept{wake_};
    std::vector<VkSemaphore> handles{wake_->handle()};
    std::vector<std::uint64_t> values{wakes_ + 1};
    for (const Awaited& awaited : awaited_) {
        const auto same = std::find(kept.begin(), kept.end(), awaited.semaphore);
        if (same == kept.end()) {
            kept.push_back(awaited.semaphore);
            handles.push_back(awaited.semaphore->handle());
            values.push_back(awaited.value);
        } else {
            std::uint64_t& value = values[static_cast<std::size_t>(same - kept.begin())];
            value = std::min(value, awaited.value);
        }
    }
    const VkSemaphoreWaitInfo info{.sType = VK_STRUCTURE_TYPE_SEMAPHORE_WAIT_INFO,
                                   .pNext = nullptr,
                                   .flags = VK_SEMAPHORE_WAIT_ANY_BIT,
                                   .semaphoreCount = static_cast<std::uint32_t>(handles.size()),
                                   .pSemaphores = handles.data(),
                                   .pValues = values.data()};
    is_waiting_ = true;
    lock.unlock();
    const VkResult waited = context_.call.vkWaitSemaphores(context_.handle, &info, ~0ull);
    lock.lock();
    is_waiting_ = false;
    return check(waited, "vkWaitSemaphores");
}

void CompletionWaiter::signal_reached() {
    std::erase_if(awaited_, [](Awaited& awaited) {
        const auto completed = awaited.semaphore->completed();
        if (completed && *completed < awaited.value) return false;
        awaited.event.signal();
        return true;
    });
}

void CompletionWaiter::poll(std::unique_lock<std::mutex>& lock) {
    constexpr std::chrono::microseconds kShortest{10};
    constexpr std::chrono::microseconds kLongest{250};
    for (std::chrono::microseconds pause = kShortest; !is_stopping_; pause = std::min(pause * 2, kLongest)) {
        const std::size_t count = awaited_.size();
        signal_reached();
        if (awaited_.empty()) return;
        if (awaited_.size() != count) pause = kShortest;
        changed_.wait_for(lock, pause);
    }
}

void CompletionWaiter::run() {
    std::unique_lock lock(mutex_);
    while (true) {
        changed_.wait(lock, [this] { return is_stopping_ || !awaited_.empty(); });
        if (is_stopping_) return;
        if (driver_spins_) {
            poll(lock);
            continue;
        }
        if (wait_for_any(lock)) {
            signal_reached();
            continue;
        }
        // The device is lost, or it cannot wait at all.
        for (Awaited& awaited : awaited_) awaited.event.signal();
        awaited_.clear();
    }
}

}  // namespace heapwright::vulkan
