// The process between a parent and its worker, which leaves nothing behind: whatever the worker's driver starts, in
// whichever group or session, becomes the supervisor's own once its parent ends, and ends with the worker.
//
//   parent -- supervisor (the process that run_child() started) -- worker (loads the driver) -- the driver's helpers
//
// The supervisor ends as the worker did, by the same exit code or signal. SIGTERM, which also tells it that its parent
// is gone, ends the worker and all the others at once; SIGINT is passed on. If it is killed itself, the worker is, too,
// and the parent ends the rest.
// Linux alone.
#pragma once

#include <string_view>

#include "heapwright/core/result.hpp"

namespace heapwright::isolate::detail {

// Of a process with one thread, before a driver is loaded: returns in the worker alone.
[[nodiscard]] Status become_supervised();

// Of the parent, where the supervisor was killed: ends every process that began with this entry of the environment,
// "NAME=VALUE", which no other has.
void end_marked(std::string_view entry);

}  // namespace heapwright::isolate::detail
