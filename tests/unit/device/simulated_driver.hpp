// A driver with the semantics of the D3D12 background processing specification. It profiles the workload that it runs;
// on a commit, or by itself once it has seen enough, it optimises what it saw in background tasks; the workload gets
// faster with each round of tasks that has ended. It wants more measurements until `settles_after` rounds were made, or
// for ever. Times are simulated, and so known beforehand.
#pragma once

#include <algorithm>
#include <atomic>
#include <cstdint>
#include <functional>
#include <memory>
#include <mutex>
#include <string>
#include <utility>
#include <vector>

#include "device/background_processing.hpp"

namespace heapwright::device::test {

struct SimulatedDriverOptions {
    std::uint32_t settles_after = 3;  // rounds; 0: never
    std::uint32_t tasks_per_round = 4;
    std::uint32_t runs_to_act = 0;  // without a commit; 0: on a commit alone
    bool supported = true;
    bool developer_mode = true;
    std::function<void()> optimisation = [] {};
};

class SimulatedDriver : public BackgroundProcessing {
public:
    static constexpr std::uint64_t kOptimisedNs = 1'000'000;
    static constexpr std::uint64_t kPerMissingRoundNs = 200'000;
    static constexpr std::uint64_t kIntrusionNs = 700'000;

    explicit SimulatedDriver(SimulatedDriverOptions options)
        : options_(std::move(options)),
          processor_({.threads = {},
                      .idle_priority = false,
                      .developer_mode = options_.developer_mode,
                      .listener = [this](BackgroundProcessingMode mode,
                                         MeasurementsAction action) { return answer(mode, action); },
                      .trace = {}}) {}

    bool supported() const override { return options_.supported; }
    std::string unsupported_reason() const override {
        return options_.supported ? "" : "the simulated driver takes no advantage of it";
    }
    bool developer_mode() const override { return options_.developer_mode; }
    Result<bool> set_mode(BackgroundProcessingMode mode, MeasurementsAction action,
                          CompletionEvent* completed) override {
        return processor_.set_mode(mode, action, completed);
    }

    // What the workload took. A driver that never settles makes it slower with every other round.
    std::uint64_t run_workload() {
        const BackgroundProcessingMode mode = mode_;
        if (mode != BackgroundProcessingMode::kDisableProfilingBySystem) ++seen_;
        const std::uint32_t applied = applied_;
        const std::uint32_t missing = options_.settles_after == 0
                                          ? 1 - applied % 2
                                          : options_.settles_after - std::min(applied, options_.settles_after);
        if (options_.runs_to_act != 0 && seen_ >= options_.runs_to_act && !disables_work(mode) && !settled())
            optimise();
        return kOptimisedNs + missing * kPerMissingRoundNs +
               (mode == BackgroundProcessingMode::kAllowIntrusiveMeasurements ? kIntrusionNs : 0);
    }

    // Until no task is queued or running.
    void drain_background() { processor_.drain(); }

    std::atomic<std::uint32_t> optimised{0};
    std::atomic<std::uint32_t> cancelled{0};

    std::vector<std::pair<BackgroundProcessingMode, MeasurementsAction>> changes() const {
        const std::lock_guard lock(mutex_);
        return changes_;
    }
    [[nodiscard]] BackgroundProcessingMode mode() const { return mode_; }

private:
    bool answer(BackgroundProcessingMode mode, MeasurementsAction action) {
        {
            const std::lock_guard lock(mutex_);
            changes_.emplace_back(mode, action);
        }
        mode_ = mode;
        if (action == MeasurementsAction::kDiscardPrevious) {
            seen_ = 0;
            rounds_ = 0;
            applied_ = 0;
        }
        if (commits(action) && seen_ > 0 && !settled()) optimise();
        return options_.supported && !settled();
    }

    void optimise() {
        seen_ = 0;
        ++rounds_;
        const auto left = std::make_shared<std::atomic<std::uint32_t>>(options_.tasks_per_round);
        for (std::uint32_t i = 0; i < options_.tasks_per_round; ++i) {
            processor_.submit({.callback =
                                   [this, left] {
                                       options_.optimisation();
                                       ++optimised;
                                       if (--*left == 0) ++applied_;
                                   },
                               .cancel = [this] { ++cancelled; }});
        }
    }

    [[nodiscard]] bool settled() const { return options_.settles_after != 0 && rounds_ >= options_.settles_after; }

    SimulatedDriverOptions options_;
    std::atomic<BackgroundProcessingMode> mode_{BackgroundProcessingMode::kAllowed};
    std::atomic<std::uint32_t> seen_{0};
    std::atomic<std::uint32_t> rounds_{0};
    std::atomic<std::uint32_t> applied_{0};
    mutable std::mutex mutex_;
    std::vector<std::pair<BackgroundProcessingMode, MeasurementsAction>> changes_;
    BackgroundProcessor processor_;  // last: its threads use what stands above
};

}  // namespace heapwright::device::test
