// The one error value of the project: what failed, where, the offending value, the limit it broke and the
// native code of the API. Errors travel as values (core/result.hpp); nothing throws across a module's border.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace heapwright {

enum class ErrorCode {
    kInvalidArgument,
    kOutOfRange,
    kParseError,
    kSchemaViolation,
    kUnsupportedVersion,
    kIoError,
    kNotSupported,
    kOutOfHostMemory,
    kOutOfDeviceMemory,
    kTooManyObjects,
    kExhausted,   // a fixed capacity of ours is used up (an offset space, a heap of descriptors)
    kOverBudget,  // the device's current budget leaves no room: others use the heap, too
    kRefused,     // the request belongs to another interface, which the message names
    kDeviceLost,
    kNoLoader,
    kNoDevice,
    kDriverFailure,
    kDeviceMismatch,
    kTimeLimit,
    kInterrupted,
    kInvariantBroken,
};

[[nodiscard]] std::string_view to_string(ErrorCode code);

struct Error {
    ErrorCode code = ErrorCode::kInvalidArgument;
    std::string message;                      // one sentence, no trailing period
    std::string where;                        // JSON pointer, file, flag or API call; empty when the message says it
    std::optional<std::uint64_t> value = {};  // what was given
    std::optional<std::uint64_t> limit = {};  // what is allowed
    std::optional<std::int64_t> native_code = {};  // VkResult or HRESULT
};

// "WHERE: MESSAGE (value V, limit L) [native N]"; absent parts are left out.
[[nodiscard]] std::string to_string(const Error& error);

}  // namespace heapwright
