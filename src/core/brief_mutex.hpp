// A lock for sections of some hundred nanoseconds that many threads want: who finds it taken looks again for a few
// microseconds before it sleeps, as waking costs more than the section.
// Lockable (std::lock_guard). Not recursive, not fair.
#pragma once

#include <atomic>
#include <cstdint>

#if defined(__x86_64__) || defined(_M_X64)
#include <immintrin.h>
#endif

namespace heapwright {

// For a loop that waits for another processor.
inline void relax_processor() {
#if defined(__x86_64__) || defined(_M_X64)
    _mm_pause();
#elif defined(__aarch64__)
    asm volatile("yield");
#endif
}

class BriefMutex {
public:
    BriefMutex() = default;
    BriefMutex(const BriefMutex&) = delete;
    BriefMutex& operator=(const BriefMutex&) = delete;

    void lock() {
        if (try_lock()) [[likely]]
            return;
        // Longer and longer pauses: each look takes the line from who holds the lock.
        for (std::uint32_t pauses = 1; pauses <= kMostPauses; pauses *= 2) {
            for (std::uint32_t i = 0; i < pauses; ++i) relax_processor();
            if (state_.load(std::memory_order_relaxed) == kFree && try_lock()) return;
        }
        while (state_.exchange(kWaitedFor, std::memory_order_acquire) != kFree)
            state_.wait(kWaitedFor, std::memory_order_relaxed);
    }
    [[nodiscard]] bool try_lock() {
        std::uint32_t expected = kFree;
        return state_.compare_exchange_strong(expected, kHeld, std::memory_order_acquire, std::memory_order_relaxed);
    }
    void unlock() {
        if (state_.exchange(kFree, std::memory_order_release) == kWaitedFor) state_.notify_one();
    }

private:
    static constexpr std::uint32_t kMostPauses = 64;
    static constexpr std::uint32_t kFree = 0;
    static constexpr std::uint32_t kHeld = 1;
    static constexpr std::uint32_t kWaitedFor = 2;

    std::atomic<std::uint32_t> state_{kFree};
};

}  // namespace heapwright
