// When a scenario ends because the device has no memory left for it: that says nothing of the policy, and nothing of
// the other scenarios. Pure and thread-safe.
#pragma once

#include <string>

#include "heapwright/core/error.hpp"

namespace heapwright::validate {

[[nodiscard]] inline bool is_lack_of_memory(const Error& error) {
    return error.code == ErrorCode::kOutOfDeviceMemory || error.code == ErrorCode::kOutOfHostMemory ||
           error.code == ErrorCode::kTooManyObjects;
}

[[nodiscard]] inline std::string lack_of_memory_text(const Error& error) {
    return "the device lacks the memory: " + to_string(error);
}

}  // namespace heapwright::validate
