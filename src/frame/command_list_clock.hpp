// The number of the command list that will be submitted next, and so the value that whatever is released now waits for.
// Submitting a list adds one; the fence counts completed lists, so that it reads n + 1 once list n is over.
// Thread-safe to read; advanced by RenderDevice alone, under the lock that covers the submission.
// Source: "Managing Resource Lifetimes" (Diligent Engine), basic strategy.
#pragma once

#include <atomic>
#include <cstdint>

#include "heapwright/core/index.hpp"

namespace heapwright::frame {

class CommandListClock {
public:
    [[nodiscard]] std::uint64_t next() const { return next_.load(std::memory_order_acquire); }

    // What the fence reads once the list that is submitted next has completed. A reader that comes late gets a larger
    // value than it needs, never a smaller one.
    [[nodiscard]] TimelineValue release_value() const { return TimelineValue{next() + 1}; }

    void advance() { next_.fetch_add(1, std::memory_order_acq_rel); }

private:
    std::atomic<std::uint64_t> next_{0};
};

}  // namespace heapwright::frame
