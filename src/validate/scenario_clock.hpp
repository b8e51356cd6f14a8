// The machine's time, plus the time that passes on a replayed device alone. Thread-safe where the clocks are.
#pragma once

#include "core/clock.hpp"

namespace heapwright::validate {

class ScenarioClock final : public Clock {
public:
    // `machine` empty: the steady clock.
    explicit ScenarioClock(Clock* simulated, Clock* machine = nullptr) : simulated_(simulated), machine_(machine) {}
    std::uint64_t now_ns() override {
        const std::uint64_t machine = machine_ == nullptr ? steady_.now_ns() : machine_->now_ns();
        return machine + (simulated_ == nullptr ? 0 : simulated_->now_ns());
    }

private:
    SteadyClock steady_;
    Clock* simulated_;
    Clock* machine_;
};

}  // namespace heapwright::validate
