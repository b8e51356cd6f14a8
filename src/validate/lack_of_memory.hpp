// When a scenario ends because the device has no memory left for it: that says nothing of the policy, and nothing of
// the other scenarios. Pure and thread-safe.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "heapwright/core/error.hpp"
#include "heapwright/model/validation.hpp"

namespace heapwright::validate {

[[nodiscard]] inline bool is_lack_of_memory(const Error& error) {
    return error.code == ErrorCode::kOutOfDeviceMemory || error.code == ErrorCode::kOutOfHostMemory ||
           error.code == ErrorCode::kTooManyObjects;
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

}  // namespace heapwright::validate
