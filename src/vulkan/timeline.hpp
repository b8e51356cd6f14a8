// device::Timeline on Vulkan: a timeline semaphore. All calls from any thread.
// The semaphore lives until the timeline and every submission that waits for it or signals it are gone.
// Beside it: the thread that waits for completions.
#pragma once

#include <condition_variable>
#include <cstdint>
#include <memory>
#include <mutex>
#include <thread>
#include <vector>

#include "device/timeline.hpp"
#include "heapwright/core/completion_event.hpp"
#include "heapwright/core/result.hpp"
#include "heapwright/model/report.hpp"
#include "heapwright_generated/volk.hpp"
#include "vulkan/open_device.hpp"

namespace heapwright::vulkan {

class CompletionWaiter;

class TimelineSemaphore {
public:
    [[nodiscard]] static Result<std::shared_ptr<TimelineSemaphore>> create(const OpenDevice& context,
                                                                           std::uint64_t initial_value);
    TimelineSemaphore(const OpenDevice& context, VkSemaphore handle) : context_(context), handle_(handle) {}
    TimelineSemaphore(const TimelineSemaphore&) = delete;
    TimelineSemaphore& operator=(const TimelineSemaphore&) = delete;
    ~TimelineSemaphore();

    [[nodiscard]] VkSemaphore handle() const { return handle_; }
    [[nodiscard]] const OpenDevice& context() const { return context_; }

    [[nodiscard]] Result<std::uint64_t> completed() const;
    [[nodiscard]] Status wait(std::uint64_t value, std::uint64_t timeout_ns) const;

    // Errors: kInvalidArgument when `value` is not above the completed one.
    [[nodiscard]] Status signal(std::uint64_t value) const;

private:
    const OpenDevice& context_;
    VkSemaphore handle_;
};

class Timeline final : public device::Timeline {
public:
    Timeline(std::shared_ptr<TimelineSemaphore> semaphore, CompletionWaiter& waiter)
        : semaphore_(std::move(semaphore)), waiter_(waiter) {}

    [[nodiscard]] Result<TimelineValue> completed() override;
    [[nodiscard]] Status signal(TimelineValue value) override;
    [[nodiscard]] Status wait(TimelineValue value, std::uint64_t timeout_ns) override {
        return semaphore_->wait(value.value, timeout_ns);
    }

    [[nodiscard]] Status signal_event(TimelineValue value, CompletionEvent event) override;

    [[nodiscard]] const std::shared_ptr<TimelineSemaphore>& semaphore() const { return semaphore_; }

private:
    std::shared_ptr<TimelineSemaphore> semaphore_;
    CompletionWaiter& waiter_;
};

// Events on completion of a device: one thread that waits for every timeline semaphore with an event at once
// (vkWaitSemaphores for any of them), and for a semaphore of its own that wakes it when there is more to wait for. The
// thread starts with the first event that is not over already. Where the driver does not sleep in such a wait, the
// thread looks at the semaphores itself, with rising pauses.
// Thread-safe. Ownership: keeps the semaphores that are waited for; ends before the device does, and signals what is
// left then.

class CompletionWaiter {
public:
    CompletionWaiter(const OpenDevice& context, const model::DeviceIdentity& identity);
    CompletionWaiter(const CompletionWaiter&) = delete;
    CompletionWaiter& operator=(const CompletionWaiter&) = delete;
    ~CompletionWaiter();

    // Errors: kDeviceLost, the driver's, kOutOfHostMemory (no thread); the event is not signalled then.
    [[nodiscard]] Status add(std::shared_ptr<TimelineSemaphore> semaphore, std::uint64_t value, CompletionEvent event);

    // Signals a timeline from the host while the thread looks at none. Version 1.3.239 of the validation layer ends in
    // a time limit when a counter is read between a host signal's effect and the layer's own note of it. Errors:
    // TimelineSemaphore::signal()'s.
    [[nodiscard]] Status signal(const TimelineSemaphore& semaphore, std::uint64_t value);

private:
    struct Awaited {
        std::shared_ptr<TimelineSemaphore> semaphore;
        std::uint64_t value = 0;
        CompletionEvent event;
    };

    [[nodiscard]] Status start();
    void run();
    [[nodiscard]] Status wait_for_any(std::unique_lock<std::mutex>& lock);
    void signal_reached();
    void poll(std::unique_lock<std::mutex>& lock);

    const OpenDevice& context_;
    const bool driver_spins_;
    std::mutex mutex_;
    std::condition_variable changed_;
    std::vector<Awaited> awaited_;
    std::shared_ptr<TimelineSemaphore> wake_;
    std::uint64_t wakes_ = 0;  // value of `wake_`
    bool is_waiting_ = false;  // in the driver
    bool is_stopping_ = false;
    std::thread thread_;
};

}  // namespace heapwright::vulkan
