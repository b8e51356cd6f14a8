// The number of the command list that is submitted next to one queue. Submitting a list adds one; the queue's fence
// counts completed lists, so that it reads n + 1 once list n is over.
// Thread-safe to read; advanced by DeviceQueue alone, under the lock that covers the submission.
// Source: "Managing Resource Lifetimes" (Diligent Engine), basic strategy.
#pragma once

#include <atomic>
#include <cstdint>

#include "heapwright/core/index.hpp"

namespace heapwright::frame {

class CommandListClock {
public:
    [[nodiscard]] std::uint64_t next() const { return next_.load(std::memory_order_seq_cst); }

    // What the fence reads once everything that has been submitted is over.
    [[nodiscard]] TimelineValue submitted() const { return TimelineValue{next()}; }

    void advance() { next_.fetch_add(1, std::memory_order_seq_cst); }

private:
    std::atomic<std::uint64_t> next_{0};
};

}  // namespace heapwright::frame
