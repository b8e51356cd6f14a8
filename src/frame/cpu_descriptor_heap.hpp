// The descriptors of one type that only the host reads: where resource views are kept. A pool of managers, each with a
// heap of its own, that grows when none has room; the managers with room are a set of their own, to which one comes
// back only when stale descriptors of it are really free.
// Thread-safe: one lock, held across the creation of a heap. Errors: those of DescriptorHeapSource::create.
// Ownership: the source and the clock outlive it, and it outlives its allocations.
// Source: "Managing Descriptor Heaps" (Diligent Engine).
#pragma once

#include <cstdint>
#include <memory>
#include <mutex>
#include <vector>

#include "frame/descriptor_heap_allocation_manager.hpp"
#include "frame/release_point.hpp"
#include "heapwright/core/result.hpp"

namespace heapwright::frame {

struct DescriptorHeapFigures {
    std::uint64_t managers = 0;  // heaps of the device
    std::uint64_t capacity = 0;
    std::uint64_t live = 0;
    std::uint64_t stale = 0;
    std::uint64_t peak = 0;           // live and stale together, at most
    std::uint64_t peak_capacity = 0;  // the size that the heap reached
};

class CPUDescriptorHeap final : public DescriptorOwner {
public:
    // A page is one heap of the device, divided as `ranges` says; a larger request gets one as large as itself.
    CPUDescriptorHeap(device::DescriptorHeapSource& source, const FrameClock& clock, device::DescriptorHeapKind kind,
                      std::uint32_t page_capacity, model::SuballocatorKind ranges = model::SuballocatorKind::kTlsf)
        : source_(source), clock_(clock), kind_(kind), page_capacity_(page_capacity), ranges_(ranges) {}
    CPUDescriptorHeap(const CPUDescriptorHeap&) = delete;
    CPUDescriptorHeap& operator=(const CPUDescriptorHeap&) = delete;

    // Error kInvalidArgument for none, and of slots for more than one.
    [[nodiscard]] Result<DescriptorHeapAllocation> allocate(std::uint32_t count = 1);
    void free(const DescriptorRange& range) override { free(range, clock_.release_point()); }
    void free(const DescriptorRange& range, ReleasePoint last_use) override;
    void free_all(std::span<const DescriptorRange> ranges, ReleasePoint last_use) override;

    // Outlives the heap. Before the first allocation.
    void watch(DescriptorWatcher& watcher) { watcher_ = &watcher; }

    std::uint64_t release_completed(const CompletedPoints& completed);
    // Gives back the heaps that hold nothing; how many.
    std::uint64_t trim();

    [[nodiscard]] device::DescriptorHeapKind kind() const { return kind_; }
    [[nodiscard]] DescriptorHeapFigures figures() const;
    [[nodiscard]] Status validate_invariants() const;

private:
    void free_locked(const DescriptorRange& range, ReleasePoint last_use);
    [[nodiscard]] Result<std::uint32_t> add_manager(std::uint32_t capacity);

    device::DescriptorHeapSource& source_;
    const FrameClock& clock_;
    device::DescriptorHeapKind kind_;
    std::uint32_t page_capacity_;
    model::SuballocatorKind ranges_;
    DescriptorWatcher* watcher_ = nullptr;
    mutable std::mutex mutex_;
    std::vector<std::unique_ptr<DescriptorHeapAllocationManager>> pool_;  // null: given back; the place is used again
    std::vector<std::uint32_t> with_room_;                                // ascending
    std::uint64_t used_ = 0;
    std::uint64_t peak_ = 0;
    std::uint64_t capacity_ = 0;
    std::uint64_t peak_capacity_ = 0;
};

}  // namespace heapwright::frame
