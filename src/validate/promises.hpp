// A policy's expectations beside what a run of its workload showed. Pure. Sizes in bytes, times in nanoseconds.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "heapwright/model/policy.hpp"
#include "heapwright/model/validation.hpp"

namespace heapwright::validate {

struct PromiseFacts {
    std::string untested;                            // why no figure counts; empty: they do
    std::string untested_times;                      // why no time counts, and no chunk that came late; empty: they do
    std::vector<std::uint64_t> peak_reserved_bytes;  // by heap of the device
    const model::DeviceReport* device = nullptr;     // its memory types
};

// In the order of model::Expectations: mean_waste, device_allocations, worst_frame_ns, worst_load_ns, late_chunks,
// peak_reserved_bytes/HEAP. Empty where the policy expects nothing.
//   mean_waste: 2 percentage points more than the worst seed played
//   device_allocations: 1.15 times, at least 2 more
//   worst_frame_ns, worst_load_ns: 1.5 times, where the frames' times were steady
//   late_chunks: 1.5 times and 2 more         peak_reserved_bytes: 1.15 times and one chunk
[[nodiscard]] std::vector<model::Promise> judge_promises(const model::DevicePolicy& policy,
                                                         const model::ScenarioResult& result,
                                                         const PromiseFacts& facts);

// One line each: "promise mean_waste: kept: 4.0%, at most 6.1% (4.1%, 2 percentage points more)".
[[nodiscard]] std::vector<std::string> promise_lines(const std::vector<model::Promise>& promises);

// worst_frame_ns, worst_load_ns, late_chunks: what the machine does beside it can break them.
[[nodiscard]] bool is_matter_of_time(const model::Promise& promise);

// What was measured, with its unit: "6.429 ms"; "no figure".
[[nodiscard]] std::string measured_text(const model::Promise& promise);

// "1 promise broken: mean_waste 11.4%, at most 6.1% (4.1%, 2 percentage points more)"; empty: none is broken.
[[nodiscard]] std::string broken_text(const std::vector<model::Promise>& promises);

}  // namespace heapwright::validate
