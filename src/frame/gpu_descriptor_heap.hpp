// A shader-visible descriptor heap of one type. Only one heap of each type can be bound, so there is one, in two parts:
//
//   0                                  static_capacity                         capacity
//   | static and mutable descriptors   | dynamic chunks   | larger dynamic ranges |
//   | manager 0                        | manager 1                                |
//
// Dynamic descriptors are taken in chunks of equal size by DynamicSuballocationsManager; a chunk that is larger than
// those comes from the general allocator. With another suballocator than slots for the chunks, the dynamic part is one.
// Thread-safe: one lock for each part, none held while the fence is waited for. Errors: kExhausted with the figures of
// the part; nothing is lost by one. Ownership: the source and the clock outlive it, and it outlives its allocations.
// Source: "Managing Descriptor Heaps" (Diligent Engine).
#pragma once

#include <array>
#include <atomic>
#include <cstdint>
#include <memory>
#include <mutex>
#include <optional>
#include <vector>

#include "core/cache_line.hpp"
#include "device/timeline.hpp"
#include "frame/cpu_descriptor_heap.hpp"
#include "frame/descriptor_heap_allocation_manager.hpp"
#include "frame/release_point.hpp"
#include "heapwright/core/result.hpp"

namespace heapwright::frame {

struct VisibleHeapLayout {
    device::DescriptorHeapKind kind = device::DescriptorHeapKind::kCbvSrvUav;
    std::uint32_t capacity = 0;
    std::uint32_t dynamic_capacity = 0;  // less than capacity
    std::uint32_t dynamic_chunk = 0;
    model::SuballocatorKind static_ranges = model::SuballocatorKind::kTlsf;    // any but kSlots
    model::SuballocatorKind dynamic_chunks = model::SuballocatorKind::kSlots;  // another kind divides the whole part
};

class GPUDescriptorHeap : public DescriptorOwner {
public:
    static constexpr std::uint32_t kStaticManager = 0;
    static constexpr std::uint32_t kDynamicManager = 1;

    // Errors: kInvalidArgument for a layout without a static or a dynamic part, or with slots for tables; those of
    // DescriptorHeapSource::create.
    [[nodiscard]] static Result<std::unique_ptr<GPUDescriptorHeap>> create(device::DescriptorHeapSource& source,
                                                                           const FrameClock& clock,
                                                                           const VisibleHeapLayout& layout);
    virtual ~GPUDescriptorHeap();
    GPUDescriptorHeap(const GPUDescriptorHeap&) = delete;
    GPUDescriptorHeap& operator=(const GPUDescriptorHeap&) = delete;

    // Static and mutable descriptors. Where none are left, takes back those whose list is over, and waits for nothing.
    [[nodiscard]] Result<DescriptorHeapAllocation> allocate(std::uint32_t count);
    // For DynamicSuballocationsManager. Where nothing but stale descriptors are left, waits on the fences for those
    // that wait for a list: it was submitted before they became stale. What waits for the end of a frame is no help:
    // who waits here may be the one who has to end it.
    [[nodiscard]] virtual Result<DescriptorHeapAllocation> allocate_dynamic(std::uint32_t count);
    // Up to `most` of the equal chunks under one lock, while more than half of them are free: nobody who needs one has
    // to do without it for those who take theirs ahead. How many descriptors they have.
    virtual std::uint64_t take_chunks_ahead(std::uint32_t most, std::vector<DescriptorHeapAllocation>& into);

    // The fence of the lists of a queue; it outlives the heap. Nothing waits for lists of a queue without one. Before
    // the first allocation.
    void wait_on(device::Timeline& fence, std::size_t queue = 0) { fences_[queue] = &fence; }
    // Is told of the static part, and outlives the heap. Before the first allocation.
    void watch(DescriptorWatcher& watcher) { watcher_ = &watcher; }
    [[nodiscard]] std::uint64_t stall_count() const { return stalls_.load(std::memory_order_relaxed); }

    void free(const DescriptorRange& range) override { free(range, clock_.release_point()); }
    void free(const DescriptorRange& range, ReleasePoint last_use) override;
    // Ranges of one part.
    void free_all(std::span<const DescriptorRange> ranges, ReleasePoint last_use) override;
    std::uint64_t release_completed(const CompletedPoints& completed);

    [[nodiscard]] const VisibleHeapLayout& layout() const { return layout_; }
    [[nodiscard]] device::DescriptorHeapId heap() const { return heap_; }
    [[nodiscard]] DescriptorManagerFigures static_figures() const { return figures(kStaticManager); }
    [[nodiscard]] DescriptorManagerFigures dynamic_figures() const { return figures(kDynamicManager); }
    [[nodiscard]] Status validate_invariants() const;

protected:
    GPUDescriptorHeap(device::DescriptorHeapSource& source, const FrameClock& clock, const VisibleHeapLayout& layout,
                      device::DescriptorHeapId heap)
        : source_(source), clock_(clock), layout_(layout), heap_(heap) {}
    [[nodiscard]] Status make_parts();
    [[nodiscard]] device::DescriptorHeapSource& source() { return source_; }

private:
    // Apart, so that threads that take chunks do not disturb those that make tables.
    struct alignas(kCacheLineBytes) Part {
        mutable std::mutex mutex;
        std::unique_ptr<DescriptorHeapAllocationManager> manager;
        // So that a release of nothing takes no lock. Changed under it.
        std::atomic<bool> may_release{false};
    };

    // Takes back what is over on any queue; where nothing is, waits a short while for the queues of `oldest`, and adds
    // that to `waited_ns`; null: it does not wait. False: no queue of `oldest` has anything for it. Error: kTimeLimit
    // once it has waited for kWaitTimeoutNs.
    [[nodiscard]] Result<bool> take_stale(Part& part, const OldestPoints& oldest, std::uint64_t* waited_ns);
    // A refusal says in `oldest_stale`, where that is given, what the oldest stale descriptors waited for then.
    [[nodiscard]] Result<DescriptorHeapAllocation> allocate_from(std::uint32_t part, std::uint32_t count,
                                                                 OldestPoints* oldest_stale);
    void free_locked(Part& part, const DescriptorRange& range, ReleasePoint last_use);
    [[nodiscard]] DescriptorManagerFigures figures(std::uint32_t part) const;

    device::DescriptorHeapSource& source_;
    const FrameClock& clock_;
    VisibleHeapLayout layout_;
    device::DescriptorHeapId heap_;
    std::array<device::Timeline*, kMostQueues> fences_{};
    DescriptorWatcher* watcher_ = nullptr;
    std::atomic<std::uint64_t> stalls_{0};
    std::array<Part, 2> parts_;
};

}  // namespace heapwright::frame
