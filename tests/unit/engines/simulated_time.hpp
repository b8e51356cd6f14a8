// When each operation of a schedule would run on engines that work at the same time: every queue takes its work in
// order, for as long as `Execute::duration_ns` says, and a wait ends when its signal has come. Host operations take no
// time of their own. Public: for an engine to see whether a schedule overlaps its queues, and which latencies keep one
// busy, before it is played; nothing else of heapwright calls it. Pure.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "engines/schedule.hpp"

namespace heapwright::engines {

struct Span {
    std::size_t operation = 0;
    std::uint64_t begin_ns = 0;
    std::uint64_t end_ns = 0;
};

struct SimulatedTime {
    std::vector<Span> spans;                // executions and waits that took time, in the order in which they ran
    std::vector<std::uint64_t> busy_ns;     // per actor
    std::vector<std::uint64_t> waiting_ns;  // per actor
    std::uint64_t total_ns = 0;
};

// The schedule has no deadlock and its fences only rise.
[[nodiscard]] SimulatedTime simulate(const Schedule& schedule);

}  // namespace heapwright::engines
