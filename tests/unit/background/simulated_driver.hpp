// A driver with the semantics of the D3D12 background processing specification: it counts what it saw, and on a commit
// submits one optimisation for each workload that it has seen often enough; it wants more until `settles_after`
// commits have been made (never, when that is 0). Optimisations do what `optimisation` says.
#pragma once

#include <atomic>
#include <cstdint>
#include <functional>
#include <memory>
#include <mutex>
#include <utility>
#include <vector>

#include "heapwright/background/background_processing.hpp"

namespace heapwright::background::test {

struct SimulatedDriverOptions {
    std::uint32_t settles_after = 3;  // 0: never
    std::uint32_t tasks_per_commit = 4;
    bool developer_mode = true;
    std::function<void()> optimisation = [] {};
};

class SimulatedDriver : public BackgroundProcessing {
public:
    explicit SimulatedDriver(SimulatedDriverOptions options)
        : options_(std::move(options)),
          processor_({.threads = {},
                      .idle_priority = false,
                      .developer_mode = options_.developer_mode,
                      .listener = [this](Mode mode, Action action) { return answer(mode, action); },
                      .trace = {}}) {}

    bool supported() const override { return true; }
    bool developer_mode() const override { return options_.developer_mode; }
    Result<bool> set_mode(Mode mode, Action action, CompletionEvent* completed) override {
        return processor_.set_mode(mode, action, completed);
    }

    void see_workload() { ++seen_; }

    std::atomic<std::uint32_t> optimised{0};
    std::atomic<std::uint32_t> cancelled{0};

    std::vector<std::pair<Mode, Action>> changes() const {
        const std::lock_guard lock(mutex_);
        return changes_;
    }

private:
    bool answer(Mode mode, Action action) {
        {
            const std::lock_guard lock(mutex_);
            changes_.emplace_back(mode, action);
        }
        if (action == Action::kDiscardPrevious) {
            seen_ = 0;
            commits_ = 0;
        }
        if (commits(action) && seen_ > 0 && !settled()) {
            for (std::uint32_t i = 0; i < options_.tasks_per_commit; ++i) {
                processor_.submit({.callback =
                                       [this] {
                                           options_.optimisation();
                                           ++optimised;
                                       },
                                   .cancel = [this] { ++cancelled; }});
            }
            ++commits_;
        }
        return !settled();
    }

    bool settled() const { return options_.settles_after != 0 && commits_ >= options_.settles_after; }

    SimulatedDriverOptions options_;
    std::atomic<std::uint32_t> seen_{0};
    std::atomic<std::uint32_t> commits_{0};
    mutable std::mutex mutex_;
    std::vector<std::pair<Mode, Action>> changes_;
    BackgroundProcessor processor_;  // last: its threads use what stands above
};

}  // namespace heapwright::background::test
