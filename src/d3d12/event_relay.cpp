#include "d3d12/event_relay.hpp"

#include <algorithm>
#include <system_error>
#include <utility>

namespace heapwright::d3d12 {

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
