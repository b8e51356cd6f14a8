// The cost of memory, measured through the seams, so that every backend and a replayed report are measured alike: per
// memory type what allocating, first touching and freeing cost by size, for anything and dedicated to one image (in
// device-local types), how fast the host copies to and from it, and how many allocations live at once.
//
// Samples alternate between the memory types and sizes, so that a slow moment of the machine falls on all of them, and
// the medians are the cost. Before each the processor's caches are filled with other things, as an application's frame
// fills them. For how long the thread waited for a processor counts for none of them, where the system
// tells it (core/processor_wait.hpp). Everything is freed at once, so a driver that keeps freed memory answers later
// samples from it: what fresh memory costs there is an outlier or the worst. A size that is dear takes fewer samples; a
// size that would take a 32nd of the time, or more than what is left of it, is left out. One allocation lives at a
// time, except while the allocations are counted.
//
// The times are taken in a measurement session (device/measurement_session.hpp). Where no driver says whether they
// were steady, the smallest sizes do, by round; each size says for itself whether its samples had settled,
// and more rounds are taken while one has not, as far as time is left.
#pragma once

#include <cstdint>
#include <functional>
#include <string_view>
#include <vector>

#include "core/clock.hpp"
#include "device/device.hpp"
#include "heapwright/core/result.hpp"
#include "probe/driver_failure.hpp"

namespace heapwright::probe {

struct MemoryCostOptions {
    std::uint64_t time_budget_ns = 3'000'000'000;    // for the whole device
    std::uint64_t memory_limit_bytes = 0;            // never more alive at once
    std::uint64_t host_visible_limit_bytes = ~0ull;  // the same where touching takes the host's RAM
    std::uint64_t largest_bytes = 1ull << 30;        // of one allocation
    std::uint32_t samples = 16;                      // at most, per memory type and size; more only to settle
    std::uint64_t counted_allocations = 4096 + 64;   // at most, beyond the floor of maxMemoryAllocationCount
    std::uint64_t bandwidth_bytes = 4ull << 20;      // per copy
    Clock* clock = nullptr;                          // steady time when null; outlives the call
    std::function<void(std::string_view stage, double share)> progress;  // may be empty
    FailureFunction on_failure;                                          // may be empty
};

// One curve per measurable memory type, in their order. A memory type of which no allocation succeeds has no points.
// Everything is freed on every path. Errors: kInterrupted, kDeviceLost.
[[nodiscard]] Result<std::vector<model::MemoryCostCurve>> measure_memory_cost(device::Device& device,
                                                                              const MemoryCostOptions& options);

}  // namespace heapwright::probe
