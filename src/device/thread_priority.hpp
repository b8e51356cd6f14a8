// The priority of the calling thread: idle (SCHED_IDLE, THREAD_PRIORITY_IDLE) or normal.
#pragma once

#include <cstdint>

namespace heapwright::device {

enum class ThreadPriority : std::uint8_t { kIdle, kNormal };

// False when the system refuses; the thread then keeps what it had.
bool set_thread_priority(ThreadPriority priority);

}  // namespace heapwright::device
