// Latency samples and their exact percentiles; and those of an allocator's calls. Times in nanoseconds. Not
// thread-safe.
#pragma once

#include <algorithm>
#include <cstdint>
#include <deque>
#include <vector>

#include "heapwright/core/index.hpp"
#include "heapwright/model/validation.hpp"
#include "validate/call_meter.hpp"

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

// Allocators differ in what they do at once and what they put off, so a free is its release and its share of the
// collection that ends it.
class AllocatorLatencies {
public:
    void add_creation(const CallCost& cost) {
        allocate_.add(cost.own_ns);
        create_.add(cost.with_binding_ns);
    }
    void add_release(TimelineValue last_use, const CallCost& cost) {
        releases_.push_back({.last_use = last_use, .ns = cost.own_ns});
    }
    void add_collection(TimelineValue completed, const CallCost& cost) {
        const auto waiting =
            std::ranges::find_if(releases_, [&](const Released& one) { return completed < one.last_use; });
        const auto ended = static_cast<std::uint64_t>(waiting - releases_.begin());
        for (auto one = releases_.begin(); one != waiting; ++one) free_.add(one->ns + cost.own_ns / ended);
        releases_.erase(releases_.begin(), waiting);
    }

    [[nodiscard]] model::LatencyFigures allocate() const { return allocate_.figures(); }
    [[nodiscard]] model::LatencyFigures free() const { return free_.figures(); }
    [[nodiscard]] model::LatencyFigures create() const { return create_.figures(); }

private:
    struct Released {
        TimelineValue last_use;
        std::uint64_t ns = 0;  // of the release alone
    };

    LatencyRecorder allocate_;
    LatencyRecorder free_;
    LatencyRecorder create_;
    std::deque<Released> releases_;  // not collected yet
};

}  // namespace heapwright::validate
