// Monotonic time in nanoseconds. A component that must run on simulated time takes a Clock&.
#pragma once

#include <chrono>
#include <cstdint>

namespace heapwright {

class Clock {
public:
    virtual ~Clock() = default;
    [[nodiscard]] virtual std::uint64_t now_ns() = 0;
};

class SteadyClock final : public Clock {
public:
    [[nodiscard]] std::uint64_t now_ns() override {
        return static_cast<std::uint64_t>(
            std::chrono::duration_cast<std::chrono::nanoseconds>(std::chrono::steady_clock::now().time_since_epoch())
                .count());
    }
};

class ManualClock final : public Clock {
public:
    [[nodiscard]] std::uint64_t now_ns() override { return now_ns_; }
    void advance_ns(std::uint64_t delta_ns) { now_ns_ += delta_ns; }

private:
    std::uint64_t now_ns_ = 0;
};

}  // namespace heapwright
