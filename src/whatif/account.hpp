// What a player's frames add up to, kept so that a stretch of them can be drawn again: figures of at most
// kMostStretches stretches of equally many frames, the load apart. Memory does not grow with the frames. Sizes in
// bytes, times in nanoseconds. Plain values; not thread-safe.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <span>
#include <vector>

#include "model/what_if.hpp"

namespace heapwright::whatif {

struct FrameFigures {
    bool is_load = false;
    std::uint64_t reserved_bytes = 0;  // at its end
    std::uint64_t used_bytes = 0;      // at its end, as the driver asks
    std::uint64_t most_reserved_bytes = 0;
    std::uint64_t most_allocations = 0;  // alive
    double own_ns = 0;                   // in calls for device memory, on the thread that renders
    double background_ns = 0;
    std::uint64_t allocations = 0;  // that its requests waited for
    std::uint64_t missed_types = 0;
    std::uint64_t failed_requests = 0;
};

// By WhatIfColumn; a figure that is not there is left out.
using Figures = std::array<std::optional<double>, model::kWhatIfColumns>;

struct Stretch {
    std::uint64_t frames = 0;
    double reserved_sum = 0;
    double used_sum = 0;
    double most_at_end = 0;  // reserved at the end of the frame that has most, and what was used then
    double used_at_most = 0;
    std::uint64_t most_reserved_bytes = 0;
    std::uint64_t most_allocations = 0;
    double worst_ns = 0;
    double allocating_ns = 0;
    std::uint64_t allocations = 0;
    std::uint64_t missed_types = 0;
    std::uint64_t failed_requests = 0;
    std::map<std::uint16_t, std::uint64_t> times;  // how many frames took about as long, in steps below 1%

    void add(const FrameFigures& frame);
    void add(const Stretch& other);
};

class Account {
public:
    static constexpr std::size_t kMostStretches = 128;

    void add(const FrameFigures& frame);

    [[nodiscard]] const Stretch& load() const { return load_; }
    // After the load, in their order; the last one may be shorter.
    [[nodiscard]] std::span<const Stretch> stretches() const { return stretches_; }
    [[nodiscard]] Figures figures() const;

private:
    Stretch load_;
    std::vector<Stretch> stretches_;
    std::uint64_t frames_per_stretch_ = 1;
};

// Of a load and what came after it.
[[nodiscard]] Figures figures_of(const Stretch& load, const Stretch& frames);

}  // namespace heapwright::whatif
