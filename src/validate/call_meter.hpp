// What one call of the allocator under test costs its frame, without the calls of the device that are not the
// allocator's. A thread that the machine stops is no cost of the allocator:
//   on a replayed device nothing waits, so the call costs no more than its thread's CPU time and the device's own time;
//   on a real device waits inside the driver count, so nothing is taken off, but a call amid which the machine gave the
//   processor to another thread is told, for the frame to be left out.
// Where the machine does not tell (Windows), or a clock is given in its stead, the time is taken as it is.
// Times in nanoseconds. For the thread that calls; the clocks and the times outlive it.
#pragma once

#include <cstdint>
#include <optional>

#include "core/clock.hpp"
#include "validate/observed_device.hpp"

namespace heapwright::validate {

// Of the calling thread; empty where the machine does not tell.
[[nodiscard]] std::optional<std::uint64_t> thread_cpu_ns();
[[nodiscard]] std::optional<std::uint64_t> involuntary_switches();

struct CallCost {
    std::uint64_t own_ns = 0;           // without the device's create, bind and destroy, and without any checking
    std::uint64_t with_binding_ns = 0;  // without checking alone
    std::uint64_t device_ns = 0;        // of own_ns, in calls that take or free device memory, at most
    bool was_preempted = false;         // real devices alone
};

class CallMeter {
public:
    // `clock` holds the machine's time and `simulated`'s, which is that of a replayed device and empty otherwise.
    CallMeter(Clock& clock, Clock* simulated, const CallTimes& times, bool has_own_clock)
        : clock_(clock), simulated_(simulated), times_(times), asks_machine_(!has_own_clock) {}

    void begin();
    [[nodiscard]] CallCost end();

private:
    [[nodiscard]] std::optional<std::uint64_t> ask_machine() const;
    [[nodiscard]] std::uint64_t simulated_ns() const;

    Clock& clock_;
    Clock* simulated_;
    const CallTimes& times_;
    bool asks_machine_;
    std::optional<std::uint64_t> machine_before_;  // CPU time of a replay, switches of a real device
    std::uint64_t simulated_before_ns_ = 0;
    std::uint64_t binder_before_ns_ = 0;
    std::uint64_t checking_before_ns_ = 0;
    std::uint64_t device_before_ns_ = 0;
    std::uint64_t before_ns_ = 0;
};

}  // namespace heapwright::validate
