#include "heapwright/suballoc/suballocation.hpp"

#include <fmt/format.h>

namespace heapwright::suballoc {

std::string_view to_string(AllocateFailure failure) {
    switch (failure) {
        case AllocateFailure::kZeroSize: return "zero size";
        case AllocateFailure::kBadAlignment: return "bad alignment";
        case AllocateFailure::kTooLarge: return "too large";
        case AllocateFailure::kExhausted: return "exhausted";
    }
    return "unknown";
}

std::string_view to_string(FreeOutcome outcome) {
    switch (outcome) {
        case FreeOutcome::kFreed: return "freed";
        case FreeOutcome::kDeferred: return "deferred";
        case FreeOutcome::kInvalidHandle: return "invalid handle";
    }
    return "unknown";
}

Error to_error(AllocateFailure failure, std::uint64_t size, std::uint64_t alignment, std::uint64_t capacity) {
    switch (failure) {
        case AllocateFailure::kZeroSize:
            return {.code = ErrorCode::kInvalidArgument, .message = "a suballocation has a size of 0", .value = size};
        case AllocateFailure::kBadAlignment:
            return {.code = ErrorCode::kInvalidArgument,
                    .message =
                        fmt::format("alignment {} is no power of two or more than this suballocator gives", alignment),
                    .value = alignment};
        case AllocateFailure::kTooLarge:
            return {.code = ErrorCode::kOutOfRange,
                    .message = fmt::format("a suballocation of {} is larger than its block or slot allows", size),
                    .value = size,
                    .limit = capacity};
        case AllocateFailure::kExhausted: break;
    }
    return {.code = ErrorCode::kExhausted,
            .message = fmt::format("no free range holds a suballocation of {} with alignment {}", size, alignment),
            .value = size,
            .limit = capacity};
}

}  // namespace heapwright::suballoc
