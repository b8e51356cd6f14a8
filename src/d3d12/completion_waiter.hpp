// Events on completion of a device: one thread that waits for one native event, which the runtime signals for every
// fence that ID3D12Fence::SetEventOnCompletion was told of, and then looks which timelines have come far enough. Where
// the host keeps the timelines' values (Fence), the fences told of are those of the submissions on their way.
// The thread starts with the first event that is not over already.
// Thread-safe. Ownership: outlives the device, whose runtime may signal the native event as long as it lives; stop()
// ends the thread before what it looks at ends.
// Beside it: the relay of native events.
#pragma once

#include <atomic>
#include <cstdint>
#include <list>
#include <memory>
#include <mutex>
#include <optional>
#include <thread>
#include <vector>

#include "d3d12/native_event.hpp"
#include "d3d12/timeline.hpp"
#include "heapwright/core/completion_event.hpp"
#include "heapwright/core/result.hpp"

namespace heapwright::d3d12 {

class CompletionWaiter {
public:
    CompletionWaiter() = default;
    CompletionWaiter(const CompletionWaiter&) = delete;
    CompletionWaiter& operator=(const CompletionWaiter&) = delete;
    ~CompletionWaiter() { stop(); }

    // Errors: kDeviceLost, kOutOfHostMemory (no thread), NativeEvent's, SetEventOnCompletion's; the event is not
    // signalled then.
    [[nodiscard]] Status add(std::shared_ptr<Fence> fence, std::uint64_t value, CompletionEvent event, HeldWork& held);

    // A submission on its way will signal the fence; nothing is told while no event is awaited. Called with the
    // Submitter's lock held.
    [[nodiscard]] Status watch(ID3D12Fence* fence, std::uint64_t value);

    // A timeline may have come further without the device's doing.
    void look();

    // Signals every event that is left and takes no more.
    void stop();

private:
    struct Awaited {
        std::shared_ptr<Fence> fence;
        std::uint64_t value = 0;
        CompletionEvent event;
    };

    [[nodiscard]] Status start(HeldWork& held);
    [[nodiscard]] Status tell(ID3D12Fence* fence, std::uint64_t value);
    void run(HeldWork& held);
    void signal_reached(bool all);

    std::mutex mutex_;
    std::vector<Awaited> awaited_;
    std::atomic<bool> has_events_{false};
    std::atomic<bool> is_stopping_{false};
    std::atomic<bool> is_broken_{false};  // the native event cannot be waited for
    std::optional<NativeEvent> native_;   // made before has_events_ is first true
    std::thread thread_;
};

// Passes on what the runtime signals: for each event of this project a native one, and a thread that waits for it.
// Whoever gives such a handle to the runtime of a device lets the relay outlive that device: then nothing can signal a
// closed handle, and destruction signals what was left waiting, as no work is left that it could wait for.
// Thread-safe.

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
