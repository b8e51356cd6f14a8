#include "d3d12/completion_waiter.hpp"

#include <algorithm>
#include <system_error>
#include <utility>

#include "core/breadcrumb.hpp"
#include "d3d12/call.hpp"

namespace heapwright::d3d12 {

Status CompletionWaiter::start(HeldWork& held) {
    if (is_broken_) return fail(ErrorCode::kDriverFailure, "an event of the system could not be waited for");
    if (thread_.joinable()) return {};
    if (!native_) {
        HEAPWRIGHT_ASSIGN(NativeEvent made, NativeEvent::create());
        native_.emplace(std::move(made));
    }
    try {
        thread_ = std::thread([this, &held] { run(held); });
    } catch (const std::system_error& error) {
        return fail(ErrorCode::kOutOfHostMemory, error.what(), "std::thread");
    }
    return {};
}

Status CompletionWaiter::add(std::shared_ptr<Fence> fence, std::uint64_t value, CompletionEvent event, HeldWork& held) {
    HEAPWRIGHT_TRY(held.release_ready());
    HEAPWRIGHT_ASSIGN(const std::uint64_t completed, fence->completed());
    if (completed >= value) {
        event.signal();
        return {};
    }
    ID3D12Fence* handle = fence->context().host_waits ? nullptr : fence->handle();
    {
        const std::scoped_lock lock(mutex_);
        HEAPWRIGHT_TRY(start(held));
        if (handle != nullptr) HEAPWRIGHT_TRY(tell(handle, value));
        awaited_.push_back({std::move(fence), value, std::move(event)});
        has_events_ = true;
    }
    // Submissions from here on are watched as they come; what has happened since the look above is found by one more.
    if (handle == nullptr) HEAPWRIGHT_TRY(held.watch_submitted());
    return native_->signal();
}

Status CompletionWaiter::watch(ID3D12Fence* fence, std::uint64_t value) {
    return has_events_ ? tell(fence, value) : Status{};
}

Status CompletionWaiter::tell(ID3D12Fence* fence, std::uint64_t value) {
    leave_call("ID3D12Fence::SetEventOnCompletion");
    return check(fence->SetEventOnCompletion(value, native_->handle()), "ID3D12Fence::SetEventOnCompletion");
}

void CompletionWaiter::look() {
    if (has_events_) static_cast<void>(native_->signal());
}

void CompletionWaiter::stop() {
    is_stopping_ = true;
    if (thread_.joinable()) {
        static_cast<void>(native_->signal());
        thread_.join();
    }
    signal_reached(true);
}

void CompletionWaiter::signal_reached(bool all) {
    const std::scoped_lock lock(mutex_);
    std::erase_if(awaited_, [all](Awaited& awaited) {
        const auto completed = awaited.fence->completed();
        // A lost device completes nothing any more.
        if (!all && completed && *completed < awaited.value) return false;
        awaited.event.signal();
        return true;
    });
    has_events_ = !awaited_.empty();
}

void CompletionWaiter::run(HeldWork& held) {
    while (true) {
        const Status waited = native_->wait();
        if (is_stopping_) return;
        is_broken_ = !waited;
        const Status released = held.release_ready();
        signal_reached(!waited || !released);
        if (!waited) return;
    }
}

EventRelay::~EventRelay() {
    for (Relayed& one : relayed_) {
        if (!one.done) static_cast<void>(one.native.signal());
        one.waiter.join();
    }
}

void EventRelay::Relayed::pass_on() {
    // Where the wait itself fails, nothing can be known any more; whoever waits then asks the device.
    static_cast<void>(native.wait());
    if (!withdrawn) event.signal();
    done = true;
}

void EventRelay::forget_done() {
    std::erase_if(relayed_, [](Relayed& one) {
        if (!one.done) return false;
        one.waiter.join();
        return true;
    });
}

Result<HANDLE> EventRelay::relay_to(CompletionEvent event) {
    HEAPWRIGHT_ASSIGN(NativeEvent native, NativeEvent::create());
    const std::lock_guard lock(mutex_);
    forget_done();
    Relayed& one = relayed_.emplace_back(std::move(native), std::move(event));
    try {
        one.waiter = std::thread([&one] { one.pass_on(); });
    } catch (const std::system_error& error) {
        relayed_.pop_back();
        return fail(ErrorCode::kExhausted, error.what(), "std::thread");
    }
    return one.native.handle();
}

void EventRelay::withdraw(HANDLE handle) {
    const std::lock_guard lock(mutex_);
    const auto found =
        std::ranges::find_if(relayed_, [&](const Relayed& one) { return one.native.handle() == handle; });
    if (found == relayed_.end()) return;
    found->withdrawn = true;
    static_cast<void>(found->native.signal());
    found->waiter.join();
    relayed_.erase(found);
}

}  // namespace heapwright::d3d12
