// Real time, plus the time that passes on a replayed device alone. Thread-safe where the simulated clock is.
#pragma once

#include "heapwright/core/clock.hpp"

namespace heapwright::validate {

class ScenarioClock final : public Clock {
public:
    explicit ScenarioClock(Clock* simulated) : simulated_(simulated) {}
    std::uint64_t now_ns() override { return real_.now_ns() + (simulated_ == nullptr ? 0 : simulated_->now_ns()); }

private:
    SteadyClock real_;
    Clock* simulated_;
};

}  // namespace heapwright::validate
