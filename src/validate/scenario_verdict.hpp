// How a scenario begins its result and ends it: with a verdict on the policy or, where the device lacks what it takes,
// without one: that says nothing of the policy, and nothing of the other scenarios.
// Thread-safe where the device and the log are.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "device/device.hpp"
#include "heapwright/core/result.hpp"
#include "heapwright/model/validation.hpp"
#include "validate/finding_log.hpp"
#include "validate/validate.hpp"

namespace heapwright::validate {

[[nodiscard]] inline bool is_lack_of_memory(const Error& error) {
    return error.code == ErrorCode::kOutOfDeviceMemory || error.code == ErrorCode::kOutOfHostMemory ||
           error.code == ErrorCode::kTooManyObjects || error.code == ErrorCode::kOverBudget;
}

[[nodiscard]] inline std::string lack_of_memory_text(const Error& error) {
    return "the device lacks the memory: " + to_string(error);
}

// What ends a scenario of memory without a finding: a limit, an interruption, a device that lacks the memory.
[[nodiscard]] inline bool is_no_verdict(const Error& error) {
    return error.code == ErrorCode::kInterrupted || error.code == ErrorCode::kTimeLimit || is_lack_of_memory(error);
}

[[nodiscard]] inline std::string no_verdict_text(const Error& error) {
    return is_lack_of_memory(error) ? lack_of_memory_text(error) : to_string(error);
}

// See ShadowChecker::Totals::unanswered.
[[nodiscard]] inline std::string unanswered_text(std::uint64_t times) {
    return "the device lacks the memory to say how far its timeline is: unchecked releases: " + std::to_string(times);
}

[[nodiscard]] inline model::ScenarioResult without_memory(std::string_view name, const Error& error,
                                                          std::uint64_t seed) {
    return {.name = std::string(name),
            .seed = seed,
            .verdict = model::Verdict::kInconclusive,
            .reason = lack_of_memory_text(error)};
}

// A scenario whose turn came after the time limit.
[[nodiscard]] inline model::ScenarioResult without_time(std::string_view name, std::uint64_t limit_ns,
                                                        std::uint64_t seed) {
    return {.name = std::string(name),
            .seed = seed,
            .verdict = model::Verdict::kInconclusive,
            .reason = "did not run: the time limit of " + std::to_string(limit_ns / 1'000'000) + " ms came before it"};
}

// The device, or the replayed report, has no such thing.
[[nodiscard]] bool is_not_there(const Error& error, const device::Device& device);

// The verdict is that of a scenario in which nothing goes wrong. What a probe or another run left in the device's log
// is dropped.
[[nodiscard]] model::ScenarioResult begin_result(std::string_view name, device::Device& device,
                                                 const ValidateOptions& options);

// What the validation layers said becomes findings.
void take_messages(device::Device& device, FindingLog& log);

// Verdict and reason of a scenario that ended early, `elapsed_ns` after its begin; an error that has no excuse is a
// finding. Errors: kDeviceLost, which ends the run.
[[nodiscard]] Status judge_early_end(const Error& error, const device::Device& device, const ValidateOptions& options,
                                     std::uint64_t elapsed_ns, FindingLog& log, model::ScenarioResult& result);

}  // namespace heapwright::validate
