// One allocation, timed: allocate, map and write to every page, free. Or one that an image has alone: allocate and
// bind, destroy and free.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

#include "core/clock.hpp"
#include "device/device.hpp"
#include "heapwright/core/result.hpp"
#include "heapwright/model/resource.hpp"

namespace heapwright::probe {

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

// The same of memory dedicated to an image; where the API does both in one call, with the creation of the image.
// Nothing is touched. Errors: ResourceBinder's.
[[nodiscard]] Result<CostSample> sample_dedicated_cost(device::Device& device, Clock& clock,
                                                       MemoryTypeIndex memory_type,
                                                       const model::ImageDescription& image);

// Writes one byte to every page of 4 KiB.
void touch_pages(std::span<std::byte> bytes);

}  // namespace heapwright::probe
