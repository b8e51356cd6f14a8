// What every scenario stands on: the device and the policy under test, what was asked of the run, the clock, the random
// choices and the findings; and how it ends: with a verdict on the policy or, where the device lacks what it takes,
// without one, which says nothing of the policy and nothing of the other scenarios.
// The log is thread-safe, the rest is for one thread. The device, the policy and the options outlive it, and it stays
// where it is.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "core/clock.hpp"
#include "core/random.hpp"
#include "device/device.hpp"
#include "heapwright/core/result.hpp"
#include "heapwright/model/policy.hpp"
#include "heapwright/model/validation.hpp"
#include "validate/finding_log.hpp"
#include "validate/validate.hpp"

namespace heapwright::validate {

// The machine's time, plus the time that passes on a replayed device alone. Thread-safe where the clocks are.
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

struct Scenario {
    // `salt` tells the random choices of one scenario from another's.
    Scenario(device::Device& of, const model::DevicePolicy& by, const ValidateOptions& with, std::uint64_t salt = 0)
        : device(of),
          policy(by),
          options(with),
          clock(with.simulated_clock, with.machine_clock),
          random(with.run_seed() ^ salt) {}
    Scenario(const Scenario&) = delete;
    Scenario& operator=(const Scenario&) = delete;

    [[nodiscard]] std::uint64_t elapsed_ns() const { return clock.now_ns() - started_ns; }
    [[nodiscard]] bool is_out_of_time() const { return elapsed_ns() >= options.time_limit_ns; }
    void progress(std::string_view stage, double share) const {
        if (options.progress) options.progress(stage, share);
    }
    // A finding of `who` unless it is sound.
    void require_sound(std::string_view who, const Status& sound);
    // What the validation layers said becomes findings.
    void take_messages();

    // The verdict is that of a scenario in which nothing goes wrong. What a probe or another run left in the device's
    // log is dropped.
    [[nodiscard]] model::ScenarioResult begin_result(std::string_view name);
    // Verdict and reason of a scenario that ended early; an error that has no excuse is a finding. Errors: kDeviceLost,
    // which ends the run.
    [[nodiscard]] Status judge_early_end(const Error& error, model::ScenarioResult& result);

    device::Device& device;
    const model::DevicePolicy& policy;
    const ValidateOptions& options;
    mutable ScenarioClock clock;
    std::uint64_t started_ns = clock.now_ns();  // from here the time limit counts
    FindingLog log;
    Random random;
};

}  // namespace heapwright::validate
