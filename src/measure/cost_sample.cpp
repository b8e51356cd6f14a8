#include "heapwright/measure/cost_sample.hpp"

namespace heapwright::measure {

bool is_measurable(const model::MemoryType& type) {
    constexpr model::Flags kNeedMore = model::memory_property::kProtected | model::memory_property::kLazilyAllocated |
                                       model::memory_property::kDeviceCoherentAmd;
    return (type.property_flags & kNeedMore) == 0;
}

bool is_host_visible(const model::MemoryType& type) {
    return (type.property_flags & model::memory_property::kHostVisible) != 0;
}

void touch_pages(std::span<std::byte> bytes) {
    constexpr std::size_t kPageBytes = 4096;
    for (std::size_t offset = 0; offset < bytes.size(); offset += kPageBytes) {
        // Volatile, or the compiler drops writes that nobody reads.
        *static_cast<volatile std::byte*>(&bytes[offset]) = std::byte{1};
    }
}

Result<CostSample> sample_cost(device::Device& device, Clock& clock, MemoryTypeIndex memory_type,
                               std::uint64_t size_bytes) {
    device::MemorySource& heaps = device.heaps();
    CostSample sample;
    const std::uint64_t start = clock.now_ns();
    HEAPWRIGHT_ASSIGN(const device::AllocationId heap,
                      heaps.allocate({.memory_type = memory_type, .size_bytes = size_bytes}));
    std::uint64_t last = clock.now_ns();
    sample.allocate_ns = last - start;
    {
        const ScopedHeap owner(heaps, heap);
        if (is_host_visible(device.facts().memory_types[memory_type.value])) {
            last = clock.now_ns();
            HEAPWRIGHT_ASSIGN(const std::span<std::byte> bytes, heaps.map(heap));
            touch_pages(bytes);
            sample.touch_ns = clock.now_ns() - last;
        }
        last = clock.now_ns();
    }
    const std::uint64_t end = clock.now_ns();
    sample.free_ns = end - last;
    sample.total_ns = end - start;
    return sample;
}

}  // namespace heapwright::measure
