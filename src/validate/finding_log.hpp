// Collects what a scenario found wrong. Keeps the first kMaxFindings in full and counts the rest.
// Thread-safe.
#pragma once

#include <atomic>
#include <cstdint>
#include <mutex>
#include <string>
#include <vector>

#include "heapwright/model/validation.hpp"

namespace heapwright::validate {

class FindingLog {
public:
    // Findings from now on belong to this step of the scenario.
    void set_step(std::uint64_t step) { step_.store(step, std::memory_order_relaxed); }

    void add(model::Fault fault, std::string resource, std::string statement) {
        const std::lock_guard lock(mutex_);
        ++total_;
        if (findings_.size() < model::kMaxFindings) {
            findings_.push_back({.fault = fault,
                                 .step = step_.load(std::memory_order_relaxed),
                                 .resource = std::move(resource),
                                 .statement = std::move(statement)});
        }
    }

    [[nodiscard]] std::uint64_t total() const {
        const std::lock_guard lock(mutex_);
        return total_;
    }
    [[nodiscard]] std::vector<model::ValidationFinding> findings() const {
        const std::lock_guard lock(mutex_);
        return findings_;
    }

    // Gives the findings to the result; with any the verdict is failed, and the first one its reason. Whether there
    // were any.
    bool hand_over(model::ScenarioResult& result) const;

private:
    mutable std::mutex mutex_;
    std::vector<model::ValidationFinding> findings_;
    std::uint64_t total_ = 0;
    std::atomic<std::uint64_t> step_{0};
};

}  // namespace heapwright::validate
