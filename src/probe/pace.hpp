// What long work of a probe asks between two steps: was it interrupted, is its time over, who wants to know.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "core/clock.hpp"
#include "core/interrupt.hpp"
#include "device/capability_source.hpp"
#include "heapwright/core/result.hpp"

namespace heapwright::probe {

class SweepPace {
public:
    explicit SweepPace(const device::ReadOptions& options) : options_(options), start_ns_(clock_.now_ns()) {}

    // Errors: kInterrupted, kTimeLimit.
    [[nodiscard]] Status step(std::string_view stage, std::size_t done, std::size_t total) {
        HEAPWRIGHT_TRY(check_interrupted());
        if (options_.time_limit_ns != ~0ull && elapsed_ns() > options_.time_limit_ns) {
            return fail({.code = ErrorCode::kTimeLimit,
                         .message = "the probe's time limit passed",
                         .where = std::string(stage),
                         .value = elapsed_ns(),
                         .limit = options_.time_limit_ns});
        }
        if (options_.progress) options_.progress(stage, static_cast<double>(done) / static_cast<double>(total));
        return {};
    }

    // Why this step must not be taken; empty: it may.
    [[nodiscard]] std::string objection(std::string_view stage, std::size_t index) {
        return options_.objection ? options_.objection(stage, index) : std::string();
    }

    [[nodiscard]] std::uint64_t elapsed_ns() { return clock_.now_ns() - start_ns_; }

private:
    const device::ReadOptions& options_;
    SteadyClock clock_;
    std::uint64_t start_ns_;
};

}  // namespace heapwright::probe
