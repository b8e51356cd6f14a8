// The words for what ends a scenario without a verdict on the policy, and which errors do. Thread-safe where the device
// is.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "device/device.hpp"
#include "heapwright/core/result.hpp"
#include "heapwright/model/validation.hpp"

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
[[nodiscard]] inline bool is_not_there(const Error& error, const device::Device& device) {
    return error.code == ErrorCode::kNotSupported ||
           (error.code == ErrorCode::kOutOfRange && !device.is_real() && error.where != "replay");
}

}  // namespace heapwright::validate
