#include "d3d12/timeline.hpp"

#include <algorithm>
#include <chrono>
#include <limits>
#include <thread>

#include <fmt/format.h>

#include "core/breadcrumb.hpp"
#include "core/clock.hpp"
#include "d3d12/call.hpp"
#include "d3d12/completion_waiter.hpp"

namespace heapwright::d3d12 {

Result<std::shared_ptr<Fence>> Fence::create(const OpenDevice& context, std::uint64_t initial_value) {
    Com<ID3D12Fence> fence;
    leave_call("ID3D12Device::CreateFence");
    HEAPWRIGHT_TRY(
        check(context.device->CreateFence(initial_value, D3D12_FENCE_FLAG_NONE, IID_ID3D12Fence, fence.out()),
              "ID3D12Device::CreateFence"));
    return std::make_shared<Fence>(context, std::move(fence), initial_value);
}

Result<std::uint64_t> Fence::completed() const {
    if (context_.host_waits) {
        HEAPWRIGHT_TRY(context_.check_alive());
        return reached_.load();
    }
    leave_call("ID3D12Fence::GetCompletedValue");
    const std::uint64_t value = fence_->GetCompletedValue();
    if (value == std::numeric_limits<std::uint64_t>::max()) HEAPWRIGHT_TRY(context_.check_alive());
    return value;
}

void Fence::reach(std::uint64_t value) {
    std::uint64_t now = reached_.load();
    while (now < value && !reached_.compare_exchange_weak(now, value)) {
    }
}

Status Fence::signal(std::uint64_t value) {
    HEAPWRIGHT_ASSIGN(const std::uint64_t now, completed());
    if (value <= now) {
        return fail(Error{.code = ErrorCode::kInvalidArgument,
                          .message = fmt::format("a timeline only rises; it is at {} already", now),
                          .where = "ID3D12Fence::Signal",
                          .value = value});
    }
    if (context_.host_waits) {
        reach(value);
        return {};
    }
    leave_call("ID3D12Fence::Signal");
    return check(fence_->Signal(value), "ID3D12Fence::Signal");
}

Status wait_for(const Fence& fence, std::uint64_t value, std::uint64_t timeout_ns, HeldWork& held) {
    constexpr int kPollsWithoutPause = 64;
    constexpr std::chrono::microseconds kLongestPause{500};
    SteadyClock clock;
    const std::uint64_t start_ns = clock.now_ns();
    std::chrono::microseconds pause{5};
    for (int polls = 0;; ++polls) {
        HEAPWRIGHT_TRY(held.release_ready());
        HEAPWRIGHT_ASSIGN(const std::uint64_t now, fence.completed());
        if (now >= value) return {};
        if (clock.now_ns() - start_ns >= timeout_ns) {
            return fail(Error{.code = ErrorCode::kTimeLimit,
                              .message = fmt::format("the timeline did not reach {} within {} ns", value, timeout_ns),
                              .where = "ID3D12Fence::GetCompletedValue",
                              .value = value});
        }
        if (polls < kPollsWithoutPause) {
            std::this_thread::yield();
        } else {
            std::this_thread::sleep_for(pause);
            pause = std::min(pause * 2, kLongestPause);
        }
    }
}

Result<TimelineValue> Timeline::completed() {
    HEAPWRIGHT_TRY(held_.release_ready());
    HEAPWRIGHT_ASSIGN(const std::uint64_t value, fence_->completed());
    return TimelineValue{value};
}

Status Timeline::signal(TimelineValue value) {
    HEAPWRIGHT_TRY(fence_->signal(value.value));
    waiter_.look();
    return held_.release_ready();
}

Status Timeline::wait(TimelineValue value, std::uint64_t timeout_ns) {
    return wait_for(*fence_, value.value, timeout_ns, held_);
}

Status Timeline::signal_event(TimelineValue value, CompletionEvent event) {
    return waiter_.add(fence_, value.value, std::move(event), held_);
}

}  // namespace heapwright::d3d12
