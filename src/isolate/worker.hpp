// The child's side: opens one driver, does what the request says, sends every result as soon as it is there.
#pragma once

#include "heapwright/core/result.hpp"

namespace heapwright::isolate {

// Runs one request from the inherited channel. The process's exit code is 0 when it returns a value; an error was also
// sent to the parent.
[[nodiscard]] Status run_worker();

}  // namespace heapwright::isolate
