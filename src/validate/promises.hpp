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
};

// In the order of model::PromiseKind. Empty where the policy expects nothing. A figure is judged by the policy's
// interval: above it the promise is broken, below it loose. A time above it counts where the frames' were steady. Where
// the sizes of a hundredth of the bytes are estimated, what does not hold of bytes and counts is not tested. A worst
// frame may be longer by as many of the run's own slowest calls as the policy foresees in one frame.
[[nodiscard]] std::vector<model::Promise> judge_promises(const model::DevicePolicy& policy,
                                                         const model::ScenarioResult& result,
                                                         const PromiseFacts& facts);

// One line each: "promise mean_waste: kept: 4%, 3.1% to 6.1%".
[[nodiscard]] std::vector<std::string> promise_lines(const std::vector<model::Promise>& promises);

// Times and late chunks: what the machine does beside it can break them.
[[nodiscard]] bool is_matter_of_time(model::PromiseKind kind);

// What was measured, with its unit: "6.429 ms"; "no figure".
[[nodiscard]] std::string measured_text(const model::Promise& promise);

[[nodiscard]] std::uint64_t count_loose(const std::vector<model::Promise>& promises);

// "1 promise broken: mean_waste 11.4%, 3.1% to 6.1%"; empty: none is broken.
[[nodiscard]] std::string broken_text(const std::vector<model::Promise>& promises);

}  // namespace heapwright::validate
