// Takes device allocations (chunks and dedicated resources) only within the limits: per heap what the policy may
// reserve, what the device's budget leaves now, a limit over all heaps, and the number of device allocations.
// Guarantees: reserved bytes and counts equal what is really held, also after failures; an allocation is counted
// before it is made, against the device's budget, too, so that threads together cannot pass a limit. What others of
// the process keep beside the pool, such as upload heaps, is charged to the same limits.
// Thread-safe. Errors: kExhausted (a limit of ours, named with its figures), kTooManyObjects (the number of device
// allocations), kOverBudget (the device's current budget, contract/feasibility.hpp; an unknown one forbids
// nothing), else the MemorySource's own.
#pragma once

#include <cstdint>
#include <mutex>
#include <optional>
#include <vector>

#include "core/rollback.hpp"
#include "device/memory_source.hpp"
#include "heapwright/core/index.hpp"
#include "heapwright/core/result.hpp"
#include "heapwright/model/policy.hpp"
#include "heapwright/pool/budget_pressure.hpp"

namespace heapwright::pool {

class BudgetedMemory {
public:
    struct HeapState {
        std::uint64_t limit_bytes = 0;
        std::uint64_t reserved_bytes = 0;
        std::uint64_t kept_empty_bytes = 0;
        std::uint64_t beside_bytes = 0;  // of the reserved ones, those of take_beside()
    };
    struct State {
        std::vector<HeapState> heaps;
        std::uint64_t limit_bytes = 0;  // over all heaps
        std::uint64_t reserved_bytes = 0;
        std::uint64_t allocations = 0;
        std::uint64_t beside_allocations = 0;
        std::uint64_t max_allocations = 0;
        std::uint64_t calls = 0;  // device allocations ever made
    };

    // The source outlives this. A heap that the policy does not name gives nothing. `budget_reserve_share` of the
    // device's live budget stays with other processes; empty: what the policy says of each heap.
    BudgetedMemory(const model::DeviceReport& facts, device::MemorySource& source, const model::DevicePolicy& policy,
                   std::uint64_t memory_limit_bytes, std::optional<double> budget_reserve_share);

    [[nodiscard]] Result<device::AllocationId> take(const device::AllocationRequest& request);
    void give_back(device::AllocationId memory, MemoryTypeIndex memory_type, std::uint64_t size_bytes);

    // For what lies beside the pool's memory and outlives none of its accounts, such as the pages of an upload heap.
    [[nodiscard]] Result<device::AllocationId> take_beside(const device::AllocationRequest& request);
    void give_back_beside(device::AllocationId memory, MemoryTypeIndex memory_type, std::uint64_t size_bytes);

    // Has the driver find every page of host-visible memory: maps it, writes a byte a page and flushes it, so that no
    // later eviction from the host's caches meets what the device wrote. Memory that cannot be mapped stays as it is.
    void touch(device::AllocationId memory);

    // The same accounts for allocations that the binder makes (dedicated resources). make(): a Result or Status;
    // counted before it, and not any more where it fails.
    template <class Make>
    [[nodiscard]] auto charge(MemoryTypeIndex memory_type, std::uint64_t size_bytes, Make&& make) -> decltype(make()) {
        HEAPWRIGHT_TRY(reserve(memory_type, size_bytes));
        bool is_made = false;
        const Rollback settles([&] { settle(memory_type, size_bytes, is_made); });
        auto made = make();
        is_made = static_cast<bool>(made);
        return made;
    }
    void unreserve(MemoryTypeIndex memory_type, std::uint64_t size_bytes);

    [[nodiscard]] std::uint32_t heap_of(MemoryTypeIndex memory_type) const { return heap_of_type_[memory_type.value]; }

    // What the device says of a heap now; `wanted_bytes` is passed on.
    [[nodiscard]] BudgetPressure pressure(std::uint32_t heap, std::uint64_t wanted_bytes);
    // Whether so much more would pass the limit over all heaps, or the number of device allocations.
    [[nodiscard]] bool passes_limit_of_all(std::uint64_t size_bytes) const;

    // The heaps of which this process uses more than the device's current budget, less what is left to others.
    // None where the device cannot say.
    [[nodiscard]] std::vector<std::uint32_t> over_budget();

    // An empty chunk may be kept: all that are kept in its heap take at most `most_bytes` then.
    [[nodiscard]] bool keep_empty(MemoryTypeIndex memory_type, std::uint64_t size_bytes, std::uint64_t most_bytes);
    // It is used again, or goes back.
    void end_keeping(MemoryTypeIndex memory_type, std::uint64_t size_bytes);

    [[nodiscard]] State state() const;

private:
    // Bytes that are reserved and not yet the device's, so that its usage lacks them.
    struct UnderWay {
        std::uint64_t bytes = 0;
        std::uint64_t settled = 0;  // how often one of them was made, or was not
    };

    [[nodiscard]] Status reserve(MemoryTypeIndex memory_type, std::uint64_t size_bytes);
    void settle(MemoryTypeIndex memory_type, std::uint64_t size_bytes, bool made);
    // `under_way`: with the request itself and what was reserved before it.
    [[nodiscard]] Status check_device_budget(std::uint32_t heap, std::uint64_t size_bytes, UnderWay under_way);
    void unreserve_locked(MemoryTypeIndex memory_type, std::uint64_t size_bytes);
    // Of the device's current budget, less what is left to others. Empty: unknown.
    [[nodiscard]] std::optional<std::uint64_t> ours(std::uint32_t heap, const model::HeapBudget& budget) const;

    device::MemorySource& source_;
    std::vector<std::uint64_t> heap_bytes_;  // the size of each heap
    std::vector<double> reserve_shares_;     // of each heap
    std::vector<std::uint32_t> heap_of_type_;
    mutable std::mutex mutex_;
    State state_;
    std::vector<UnderWay> under_way_;  // of each heap
};

}  // namespace heapwright::pool
