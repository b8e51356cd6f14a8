// What a placer holds, and whether its books agree.
#include <algorithm>
#include <mutex>

#include <fmt/format.h>

#include "pool/memory_placer.hpp"

namespace heapwright::pool {

PoolFigures MemoryPlacer::figures() const {
    PoolFigures figures;
    const BudgetedHeaps::State state = heaps_.state();
    for (std::uint32_t heap = 0; heap < state.heaps.size(); ++heap) {
        figures.heaps.push_back({.heap = heap,
                                 .limit_bytes = std::min(state.heaps[heap].limit_bytes, state.limit_bytes),
                                 .reserved_bytes = state.heaps[heap].reserved_bytes,
                                 .used_bytes = state.heaps[heap].beside_bytes,
                                 .beside_bytes = state.heaps[heap].beside_bytes});
    }
    for (const auto& bucket : buckets_) {
        figures.buckets.push_back(bucket->figures());
        const suballoc::Figures& ranges = figures.buckets.back().suballocations;
        HeapFigures& heap = figures.heaps[heaps_.heap_of(bucket->memory_type())];
        heap.used_bytes += ranges.used;
        heap.suballocations += ranges;
        figures.suballocations += ranges;
        figures.preparation += figures.buckets.back().preparation;
    }
    {
        const std::lock_guard lock(dedicated_mutex_);
        for (std::size_t heap = 0; heap < dedicated_bytes_.size(); ++heap) {
            figures.heaps[heap].dedicated_bytes = dedicated_bytes_[heap];
            figures.heaps[heap].used_bytes += dedicated_bytes_[heap];
        }
        figures.dedicated_allocations = dedicated_count_;
    }
    figures.beside_allocations = state.beside_allocations;
    figures.device_allocations = state.allocations;
    figures.device_allocation_calls = state.calls;
    for (const auto& lane : lanes_) {
        figures.pending_releases += lane->count();
        figures.pending_bytes += lane->bytes();
    }
    return figures;
}

Status MemoryPlacer::validate_invariants() const {
    std::vector<std::unique_lock<std::mutex>> paused;
    for (const auto& bucket : buckets_) paused.push_back(bucket->pause_background());
    for (const auto& bucket : buckets_) HEAPWRIGHT_TRY(bucket->validate_invariants());
    const PoolFigures sums = figures();
    std::vector<std::uint64_t> reserved(sums.heaps.size(), 0);
    std::uint64_t allocations = sums.dedicated_allocations + sums.beside_allocations;
    for (const BucketFigures& bucket : sums.buckets) {
        reserved[heaps_.heap_of(MemoryTypeIndex{bucket.memory_type})] += bucket.reserved_bytes;
        allocations += bucket.chunks;
    }
    for (const HeapFigures& heap : sums.heaps) {
        const std::uint64_t expected = reserved[heap.heap] + heap.dedicated_bytes + heap.beside_bytes;
        if (heap.reserved_bytes != expected) {
            return fail(Error{.code = ErrorCode::kInvariantBroken,
                              .message = fmt::format("heap {} is charged with other bytes than its chunks and "
                                                     "dedicated allocations hold",
                                                     heap.heap),
                              .value = heap.reserved_bytes,
                              .limit = expected});
        }
    }
    if (sums.device_allocations != allocations) {
        return fail(Error{.code = ErrorCode::kInvariantBroken,
                          .message = "the count of device allocations is not that of chunks and dedicated allocations",
                          .value = sums.device_allocations,
                          .limit = allocations});
    }
    return {};
}

}  // namespace heapwright::pool
