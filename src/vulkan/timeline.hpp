// device::Timeline on Vulkan: a timeline semaphore. All calls from any thread.
// The semaphore lives until the timeline and every submission that waits for it or signals it are gone.
#pragma once

#include <cstdint>
#include <memory>

#include "heapwright_generated/volk.hpp"

#include "device/timeline.hpp"
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

}  // namespace heapwright::vulkan
