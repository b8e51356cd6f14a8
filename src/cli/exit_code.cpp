#include "heapwright/cli/exit_code.hpp"

namespace heapwright::cli {

ExitCode exit_code_of(ErrorCode code) {
    switch (code) {
        case ErrorCode::kNoLoader:
        case ErrorCode::kNoDevice:
        case ErrorCode::kDriverFailure:
        case ErrorCode::kOutOfHostMemory:
        case ErrorCode::kOutOfDeviceMemory:
        case ErrorCode::kTooManyObjects:
        case ErrorCode::kOverBudget:
        case ErrorCode::kDeviceLost: return ExitCode::kNoDevice;
        case ErrorCode::kTimeLimit:
        case ErrorCode::kInterrupted: return ExitCode::kInconclusive;
        case ErrorCode::kInvariantBroken: return ExitCode::kFailed;
        default: return ExitCode::kUsage;
    }
}

}  // namespace heapwright::cli
