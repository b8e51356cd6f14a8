// The process's exit codes, as --help and the README document them.
#pragma once

#include "heapwright/core/error.hpp"

namespace heapwright::cli {

enum class ExitCode : int {
    kGood = 0,
    kFailed = 1,        // validation failed, or a comparison found a regression
    kUsage = 2,         // wrong arguments or bad input
    kNoDevice = 3,      // no loader, no device, or the probe failed
    kInconclusive = 4,  // stopped by a limit or a signal before the answer was known
    kPartlyFailed = 5,  // a driver crashed, hung or failed; what was reached is there
};

[[nodiscard]] ExitCode exit_code_of(ErrorCode code);

}  // namespace heapwright::cli
