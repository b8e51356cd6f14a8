// Resources that share one placement on purpose (MemoryPool::allocate_aliasing): the placement lives as long as any of
// them. Plain value behind a shared pointer. Thread-safe: the count alone changes.
#pragma once

#include <atomic>
#include <cstdint>

namespace heapwright::pool {

struct AliasGroup {
    explicit AliasGroup(std::uint64_t members) : alive(members) {}

    // True for the last one.
    [[nodiscard]] bool leave() { return alive.fetch_sub(1, std::memory_order_acq_rel) == 1; }

    std::atomic<std::uint64_t> alive;
};

}  // namespace heapwright::pool
