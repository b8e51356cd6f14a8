// How long the calling thread has been ready to run while other threads had the processors, in nanoseconds since it
// began. Of a measured call it is no cost of the call, but of what else the machine does. 0 for ever where the system
// does not tell. Each thread reads its own.
// Source: Linux, Documentation/scheduler/sched-stats.rst, /proc/<pid>/schedstat, the second number.
#pragma once

#include <cstdint>

namespace heapwright {

[[nodiscard]] std::uint64_t processor_wait_ns();

}  // namespace heapwright
