// vkGetDeviceProcAddr whose functions add what they take to a count of their thread, so that what an allocator does
// itself can be told from what the driver does. One device at a time.
#pragma once

#include <chrono>
#include <cstring>

#include <vulkan/vulkan_core.h>

namespace heapwright::bench {

inline thread_local double driver_ns = 0;

template <class Function, int kNumber>
struct TimedCall;

template <class Answer, class... Arguments, int kNumber>
struct TimedCall<Answer(VKAPI_PTR*)(Arguments...), kNumber> {
    static inline Answer(VKAPI_PTR* real)(Arguments...) = nullptr;

    static Answer VKAPI_CALL call(Arguments... arguments) {
        struct Timer {
            std::chrono::steady_clock::time_point begin = std::chrono::steady_clock::now();
            ~Timer() {
                driver_ns += std::chrono::duration<double, std::nano>(std::chrono::steady_clock::now() - begin).count();
            }
        };
        const Timer timer;
        return real(arguments...);
    }
};

inline PFN_vkGetDeviceProcAddr real_get_device_proc_addr = nullptr;

inline PFN_vkVoidFunction VKAPI_CALL timed_get_device_proc_addr(VkDevice device, const char* name) {
    const PFN_vkVoidFunction real = real_get_device_proc_addr(device, name);
#define HEAPWRIGHT_TIMED(function)                                 \
    if (std::strcmp(name, #function) == 0 && real != nullptr) {    \
        using Timed = TimedCall<PFN_##function, __LINE__>;         \
        Timed::real = reinterpret_cast<PFN_##function>(real);      \
        return reinterpret_cast<PFN_vkVoidFunction>(&Timed::call); \
    }
    HEAPWRIGHT_TIMED(vkAllocateMemory)
    HEAPWRIGHT_TIMED(vkFreeMemory)
    HEAPWRIGHT_TIMED(vkMapMemory)
    HEAPWRIGHT_TIMED(vkCreateBuffer)
    HEAPWRIGHT_TIMED(vkDestroyBuffer)
    HEAPWRIGHT_TIMED(vkCreateImage)
    HEAPWRIGHT_TIMED(vkDestroyImage)
    HEAPWRIGHT_TIMED(vkGetBufferMemoryRequirements)
    HEAPWRIGHT_TIMED(vkGetImageMemoryRequirements)
    HEAPWRIGHT_TIMED(vkGetBufferMemoryRequirements2)
    HEAPWRIGHT_TIMED(vkGetImageMemoryRequirements2)
    HEAPWRIGHT_TIMED(vkBindBufferMemory)
    HEAPWRIGHT_TIMED(vkBindImageMemory)
    HEAPWRIGHT_TIMED(vkBindBufferMemory2)
    HEAPWRIGHT_TIMED(vkBindImageMemory2)
#undef HEAPWRIGHT_TIMED
    return real;
}

}  // namespace heapwright::bench
