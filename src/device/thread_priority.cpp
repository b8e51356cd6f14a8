#include "device/thread_priority.hpp"

#ifdef _WIN32
#include <windows.h>
#else
#include <pthread.h>
#include <sched.h>
#endif

namespace heapwright::device {

bool set_thread_priority(ThreadPriority priority) {
#ifdef _WIN32
    const int level = priority == ThreadPriority::kIdle ? THREAD_PRIORITY_IDLE : THREAD_PRIORITY_NORMAL;
    return SetThreadPriority(GetCurrentThread(), level) != 0;
#else
    const sched_param parameter{};
    const int policy = priority == ThreadPriority::kIdle ? SCHED_IDLE : SCHED_OTHER;
    return pthread_setschedparam(pthread_self(), policy, &parameter) == 0;
#endif
}

}  // namespace heapwright::device
