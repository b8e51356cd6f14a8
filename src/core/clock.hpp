// Monotonic time in nanoseconds. A component that must run on simulated time takes a Clock&.
#pragma once

#include <atomic>
#include <chrono>
#include <cstdint>

#include "core/processor_wait.hpp"

namespace heapwright {

class Clock {
public:
    virtual ~Clock() = default;
    [[nodiscard]] virtual std::uint64_t now_ns() = 0;
    // See heapwright::processor_wait_ns().
    [[nodiscard]] virtual std::uint64_t processor_wait_ns() { return 0; }
};

class SteadyClock final : public Clock {
public:
    [[nodiscard]] std::uint64_t now_ns() override {
        return static_cast<std::uint64_t>(
            std::chrono::duration_cast<std::chrono::nanoseconds>(std::chrono::steady_clock::now().time_since_epoch())
                .count());
    }
    [[nodiscard]] std::uint64_t processor_wait_ns() override { return heapwright::processor_wait_ns(); }
};

// Readable and advanceable from any thread.
class ManualClock final : public Clock {
public:
    [[nodiscard]] std::uint64_t now_ns() override { return now_ns_.load(std::memory_order_relaxed); }
    void advance_ns(std::uint64_t delta_ns) { now_ns_.fetch_add(delta_ns, std::memory_order_relaxed); }

private:
    std::atomic<std::uint64_t> now_ns_{0};
};

}  // namespace heapwright
