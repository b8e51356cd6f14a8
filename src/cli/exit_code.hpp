// The process's exit codes, as --help and docs/tour.md document them.
#pragma once

#include "heapwright/core/error.hpp"
#include "heapwright/model/validation.hpp"

namespace heapwright::cli {

enum class ExitCode : int {
    kGood = 0,
    kFailed = 1,        // validation failed, or a comparison found a regression
    kUsage = 2,         // wrong arguments or bad input
    kNoDevice = 3,      // no loader, no device, or none could be probed or validated
    kInconclusive = 4,  // stopped by a limit or a signal before the answer was known
    kPartlyFailed = 5,  // a driver crashed, hung or failed; what was reached is there
};

[[nodiscard]] ExitCode exit_code_of(ErrorCode code);

// Of several codes, the one that a command ends with. What is known to be wrong goes before what is lost, and that
// before what may yet be known: 2, 1, 3, 5, 4, 0.
[[nodiscard]] ExitCode worse(ExitCode one, ExitCode other);

// Of validate and run. A device that failed a check: 1. None that has a verdict: 3. A device or driver that failed
// beside one that has: 5. A verdict that is inconclusive, a device that supports nothing of what was asked
// for, or a part of the workload where nobody asked for a part: 4.
[[nodiscard]] ExitCode exit_code_of(const model::Validation& validation);

}  // namespace heapwright::cli
