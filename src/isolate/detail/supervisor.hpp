// The process between a parent and its worker, which leaves nothing behind: whatever the worker's driver starts, in
// whichever group or session, becomes the supervisor's own once its parent ends, and ends with the worker.
//
//   parent -- supervisor (the process that run_child() started) -- worker (loads the driver) -- the driver's helpers
//
// The supervisor ends as the worker did, by the same exit code or signal. SIGTERM, which also tells it that its parent
// is gone, ends the worker and all the others at once; SIGINT is passed on. If it is killed itself, the worker is, too.
// Linux alone.
#pragma once

#include "heapwright/core/result.hpp"

namespace heapwright::isolate::detail {

// Of a process with one thread, before a driver is loaded: returns in the worker alone.
[[nodiscard]] Status become_supervised();

}  // namespace heapwright::isolate::detail
