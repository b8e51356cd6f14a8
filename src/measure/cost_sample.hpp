// One allocation, timed: allocate, map and write to every page, free.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

#include "heapwright/core/clock.hpp"
#include "heapwright/core/result.hpp"
#include "heapwright/device/device.hpp"

namespace heapwright::measure {

// The memory types whose cost can be measured on a device that enables nothing for it: not protected, not lazily
// allocated, not device coherent (AMD).
[[nodiscard]] bool is_measurable(const model::MemoryType& type);
[[nodiscard]] bool is_host_visible(const model::MemoryType& type);

// Frees the heap at the end of its scope.
class ScopedHeap {
public:
    ScopedHeap(device::MemorySource& heaps, device::AllocationId id) : heaps_(heaps), id_(id) {}
    ScopedHeap(const ScopedHeap&) = delete;
    ScopedHeap& operator=(const ScopedHeap&) = delete;
    ~ScopedHeap() { heaps_.free(id_); }

    [[nodiscard]] device::AllocationId id() const { return id_; }

private:
    device::MemorySource& heaps_;
    device::AllocationId id_;
};

// Without the time for which the thread waited for a processor (Clock::processor_wait_ns), but for total_ns.
struct CostSample {
    std::uint64_t allocate_ns = 0;
    std::uint64_t touch_ns = 0;  // 0 when not host visible
    std::uint64_t free_ns = 0;
    std::uint64_t total_ns = 0;
};

// Nothing is left alive. Errors: MemorySource's.
[[nodiscard]] Result<CostSample> sample_cost(device::Device& device, Clock& clock, MemoryTypeIndex memory_type,
                                             std::uint64_t size_bytes);

// Writes one byte to every page of 4 KiB.
void touch_pages(std::span<std::byte> bytes);

}  // namespace heapwright::measure
