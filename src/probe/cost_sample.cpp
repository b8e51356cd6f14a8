#include "probe/cost_sample.hpp"

#include <algorithm>

namespace heapwright::probe {
namespace {

// Leaves out for how long the thread waited for a processor. The system is asked outside of what is timed.
class Stopwatch {
public:
    explicit Stopwatch(Clock& clock) : clock_(clock) { restart(); }

    void restart() {
        waited_ns_ = clock_.processor_wait_ns();
        start_ns_ = clock_.now_ns();
    }
    [[nodiscard]] std::uint64_t elapsed_ns() const {
        const std::uint64_t elapsed = clock_.now_ns() - start_ns_;
        return elapsed - std::min(elapsed, clock_.processor_wait_ns() - waited_ns_);
    }

private:
    Clock& clock_;
    std::uint64_t waited_ns_ = 0;
    std::uint64_t start_ns_ = 0;
};

}  // namespace

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
    const std::uint64_t begin = clock.now_ns();
    Stopwatch watch(clock);
    HEAPWRIGHT_ASSIGN(const device::AllocationId heap,
                      heaps.allocate({.memory_type = memory_type, .size_bytes = size_bytes}));
    sample.allocate_ns = watch.elapsed_ns();
    {
        const ScopedHeap owner(heaps, heap);
        if (is_host_visible(device.facts().memory_types[memory_type.value])) {
            watch.restart();
            HEAPWRIGHT_ASSIGN(const std::span<std::byte> bytes, heaps.map(heap));
            touch_pages(bytes);
            sample.touch_ns = watch.elapsed_ns();
        }
        watch.restart();
    }
    sample.free_ns = watch.elapsed_ns();
    sample.total_ns = clock.now_ns() - begin;
    return sample;
}

Result<CostSample> sample_dedicated_cost(device::Device& device, Clock& clock, MemoryTypeIndex memory_type,
                                         const model::ImageDescription& image) {
    constexpr float kOrdinaryPriority = 0.5f;
    device::ResourceBinder& resources = device.resources();
    CostSample sample;
    const std::uint64_t begin = clock.now_ns();
    HEAPWRIGHT_ASSIGN(const device::ResourceBinder::Begun begun, resources.begin(image));
    Stopwatch watch(clock);
    const auto bound = resources.bind_dedicated(begun, image, memory_type, kOrdinaryPriority);
    sample.allocate_ns = watch.elapsed_ns();
    if (!bound) {
        resources.cancel(begun);
        return tl::unexpected(bound.error());
    }
    watch.restart();
    resources.destroy(*bound);
    sample.free_ns = watch.elapsed_ns();
    sample.total_ns = clock.now_ns() - begin;
    return sample;
}

}  // namespace heapwright::probe
