#include "heapwright/core/error.hpp"

#include <fmt/format.h>

namespace heapwright {

std::string_view to_string(ErrorCode code) {
    switch (code) {
        case ErrorCode::kInvalidArgument: return "invalid argument";
        case ErrorCode::kOutOfRange: return "out of range";
        case ErrorCode::kParseError: return "parse error";
        case ErrorCode::kSchemaViolation: return "schema violation";
        case ErrorCode::kUnsupportedVersion: return "unsupported version";
        case ErrorCode::kIoError: return "input or output error";
        case ErrorCode::kNotSupported: return "not supported";
        case ErrorCode::kOutOfHostMemory: return "out of host memory";
        case ErrorCode::kOutOfDeviceMemory: return "out of device memory";
        case ErrorCode::kTooManyObjects: return "too many objects";
        case ErrorCode::kOverBudget: return "over budget";
        case ErrorCode::kExhausted: return "exhausted";
        case ErrorCode::kRefused: return "refused";
        case ErrorCode::kDeviceLost: return "device lost";
        case ErrorCode::kNoLoader: return "no loader";
        case ErrorCode::kNoDevice: return "no device";
        case ErrorCode::kDriverFailure: return "driver failure";
        case ErrorCode::kDeviceMismatch: return "device mismatch";
        case ErrorCode::kTimeLimit: return "time limit";
        case ErrorCode::kInterrupted: return "interrupted";
        case ErrorCode::kInvariantBroken: return "invariant broken";
    }
    return "unknown error";
}

std::string to_string(const Error& error) {
    std::string text;
    if (!error.where.empty()) text += error.where + ": ";
    text += error.message;
    if (error.value && error.limit) {
        text += fmt::format(" (value {}, limit {})", *error.value, *error.limit);
    } else if (error.value) {
        text += fmt::format(" (value {})", *error.value);
    } else if (error.limit) {
        text += fmt::format(" (limit {})", *error.limit);
    }
    if (error.native_code) text += fmt::format(" [native code {}]", *error.native_code);
    return text;
}

}  // namespace heapwright
