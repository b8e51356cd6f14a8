// Latency samples and their exact percentiles. Times in nanoseconds. Not thread-safe.
#pragma once

#include <algorithm>
#include <cstdint>
#include <vector>

#include "heapwright/model/validation.hpp"

namespace heapwright::validate {

class LatencyRecorder {
public:
    void add(std::uint64_t sample_ns) { samples_ns_.push_back(sample_ns); }

    // The smallest sample that at least that share of all samples does not exceed.
    [[nodiscard]] model::LatencyFigures figures() const {
        if (samples_ns_.empty()) return {};
        std::vector<std::uint64_t> sorted = samples_ns_;
        std::ranges::sort(sorted);
        const auto rank = [&](std::uint64_t per_mille) { return sorted[(sorted.size() * per_mille + 999) / 1000 - 1]; };
        return {.samples = sorted.size(),
                .p50_ns = rank(500),
                .p99_ns = rank(990),
                .p999_ns = rank(999),
                .worst_ns = sorted.back()};
    }

private:
    std::vector<std::uint64_t> samples_ns_;
};

}  // namespace heapwright::validate
