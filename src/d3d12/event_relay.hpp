// Passes on what the runtime signals: for each event of this project a native one, and a thread that waits for it.
// Whoever gives such a handle to the runtime of a device lets the relay outlive that device: then nothing can signal a
// closed handle, and destruction signals what was left waiting, as no work is left that it could wait for.
// Thread-safe.
#pragma once

#include <atomic>
#include <list>
#include <mutex>
#include <thread>

#include "d3d12/native_event.hpp"
#include "heapwright/core/completion_event.hpp"
#include "heapwright/core/result.hpp"

namespace heapwright::d3d12 {

class EventRelay {
public:
    EventRelay() = default;
    EventRelay(const EventRelay&) = delete;
    EventRelay& operator=(const EventRelay&) = delete;
    ~EventRelay();

    // For one signal by the runtime, which then signals `event`. Errors: NativeEvent's, kExhausted (no thread).
    [[nodiscard]] Result<HANDLE> relay_to(CompletionEvent event);

    // The runtime refused the handle: nobody will signal it, and its event is left alone.
    void withdraw(HANDLE handle);

private:
    struct Relayed {
        Relayed(NativeEvent made, CompletionEvent to) : native(std::move(made)), event(std::move(to)) {}
        void pass_on();

        NativeEvent native;
        CompletionEvent event;
        std::atomic<bool> withdrawn{false};
        std::atomic<bool> done{false};
        std::thread waiter;
    };

    void forget_done();  // with the lock held

    std::mutex mutex_;
    std::list<Relayed> relayed_;
};

}  // namespace heapwright::d3d12
