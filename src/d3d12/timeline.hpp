// device::Timeline on Direct3D 12: an ID3D12Fence, read by polling with rising pauses. All calls from any thread.
// vkd3d 1.2 handles the signals of one fence in any order and sets its value to the last one handled, so that it may
// fall. With a runtime that needs host waits the host keeps the value: it rises when a submission is seen to be done.
// The fence lives until the timeline and every submission that waits for it or signals it are gone.
#pragma once

#include <array>
#include <atomic>
#include <cstdint>
#include <memory>

#include "d3d12/device.hpp"
#include "device/engine_choice.hpp"
#include "device/timeline.hpp"

namespace heapwright::d3d12 {

class Fence {
public:
    [[nodiscard]] static Result<std::shared_ptr<Fence>> create(const OpenDevice& context, std::uint64_t initial_value);
    Fence(const OpenDevice& context, Com<ID3D12Fence> fence, std::uint64_t initial_value)
        : context_(context), fence_(std::move(fence)), reached_(initial_value) {}
    Fence(const Fence&) = delete;
    Fence& operator=(const Fence&) = delete;

    [[nodiscard]] ID3D12Fence* handle() const { return fence_.get(); }
    [[nodiscard]] const OpenDevice& context() const { return context_; }

    // kDeviceLost once the device was removed, when every fence reads as all ones.
    [[nodiscard]] Result<std::uint64_t> completed() const;

    // Errors: kInvalidArgument when `value` is not above the completed one.
    [[nodiscard]] Status signal(std::uint64_t value);

    // Where the host keeps the value: a submission that signals it is done. Never lowers it.
    void reach(std::uint64_t value);

    // The highest value that an engine's queue was told to signal. Guarded by the Submitter.
    std::array<std::uint64_t, device::kDirect3d12EngineCount> signalled_by_engine{};

private:
    const OpenDevice& context_;
    Com<ID3D12Fence> fence_;
    std::atomic<std::uint64_t> reached_;
};

// Lets submissions run that wait for what has happened meanwhile.
class HeldWork {
public:
    virtual ~HeldWork() = default;
    [[nodiscard]] virtual Status release_ready() = 0;
    // Where the host keeps the fences' values: tells the device's CompletionWaiter of the submissions on their way.
    [[nodiscard]] virtual Status watch_submitted() = 0;
};

class CompletionWaiter;

// Polls until the fence is at `value`. Errors: kTimeLimit, kDeviceLost.
[[nodiscard]] Status wait_for(const Fence& fence, std::uint64_t value, std::uint64_t timeout_ns, HeldWork& held);

class Timeline final : public device::Timeline {
public:
    Timeline(std::shared_ptr<Fence> fence, HeldWork& held, CompletionWaiter& waiter)
        : fence_(std::move(fence)), held_(held), waiter_(waiter) {}

    [[nodiscard]] Result<TimelineValue> completed() override;
    [[nodiscard]] Status signal(TimelineValue value) override;
    [[nodiscard]] Status wait(TimelineValue value, std::uint64_t timeout_ns) override;

    [[nodiscard]] Status signal_event(TimelineValue value, CompletionEvent event) override;

    [[nodiscard]] const std::shared_ptr<Fence>& fence() const { return fence_; }

private:
    std::shared_ptr<Fence> fence_;
    HeldWork& held_;
    CompletionWaiter& waiter_;
};

}  // namespace heapwright::d3d12
