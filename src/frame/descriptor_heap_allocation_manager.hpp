// Allocations in one descriptor heap of the device, or in a subrange of one: variable-size ranges, and where asked
// equal chunks from a fixed-size allocator in front of them. A freed range is stale until the device has passed its
// release point.
//
//   first                                                     first + capacity
//   | equal chunks (only with Options::chunk) | ranges of any size            |
//
// Small ranges that come back are kept for the next request of their size, most recent first, and are divided anew only
// when a request finds no other room.
// Guarantees: no overlap with a live or stale range; the whole capacity can be allocated as one range when it is empty
// and has no chunks. Counts and indices in descriptors. Not thread-safe: the heap class above holds its lock.
// Ownership: destroys the heap that it created; the source outlives it.
// Source: "Managing Descriptor Heaps" (Diligent Engine); its discussion proposes the chunks of equal size.
#pragma once

#include <array>
#include <cstdint>
#include <memory>
#include <optional>
#include <vector>

#include "frame/descriptor_heap_allocation.hpp"
#include "frame/release_queues.hpp"
#include "heapwright/core/result.hpp"
#include "heapwright/suballoc/slot_allocator.hpp"
#include "pool/chunk_set.hpp"

namespace heapwright::frame {

struct DescriptorManagerFigures {
    std::uint64_t capacity = 0;
    std::uint64_t live = 0;
    std::uint64_t stale = 0;  // freed, not yet passed by the device
    std::uint64_t peak = 0;   // live and stale together, at most
};

class DescriptorHeapAllocationManager {
public:
    struct Options {
        std::uint32_t manager_id = 0;
        std::uint32_t chunk = 0;  // 0: no equal chunks
        // What divides the ranges of any size; any kind serves, with its own rules of when space comes back.
        model::SuballocatorKind ranges = model::SuballocatorKind::kTlsf;
        std::uint32_t granule = 1;  // power of two; of kSlots: the largest range
    };

    // A heap of its own. Errors: those of DescriptorHeapSource::create.
    [[nodiscard]] static Result<std::unique_ptr<DescriptorHeapAllocationManager>> create(
        device::DescriptorHeapSource& source, const device::DescriptorHeapRequest& request, const Options& options);

    // A part of a heap that outlives it. Error: kInvalidArgument for an empty part.
    [[nodiscard]] static Result<std::unique_ptr<DescriptorHeapAllocationManager>> create_in(
        device::DescriptorHeapSource& source, device::DescriptorHeapId heap, std::uint32_t first,
        std::uint32_t capacity, const Options& options);

    ~DescriptorHeapAllocationManager();
    DescriptorHeapAllocationManager(const DescriptorHeapAllocationManager&) = delete;
    DescriptorHeapAllocationManager& operator=(const DescriptorHeapAllocationManager&) = delete;

    // Nothing when there is no room now.
    [[nodiscard]] std::optional<DescriptorRange> allocate(std::uint32_t count);
    void free(const DescriptorRange& range, ReleasePoint last_use);
    // How many descriptors came back.
    std::uint64_t release_completed(const CompletedPoints& completed);

    [[nodiscard]] device::DescriptorHeapId heap() const { return facts_.heap; }
    [[nodiscard]] DescriptorHeapAllocation as_allocation(DescriptorOwner* owner, const DescriptorRange& range) const {
        return {owner, facts_, range};
    }

    // More than half of the equal chunks are free.
    [[nodiscard]] bool has_chunks_to_spare() const { return chunks_ && chunks_->used() < chunks_->capacity() / 2; }
    // Whether release_completed() has anything to do: something is stale, or a ring's frame has to end.
    [[nodiscard]] bool may_release() const {
        return stale_count_ != 0 || (ranges_ && kind_ == model::SuballocatorKind::kRing);
    }
    // What the oldest of the stale descriptors wait for.
    [[nodiscard]] OldestPoints oldest_stale() const { return stale_.oldest(); }
    [[nodiscard]] bool has_room() const { return used() < capacity_; }
    [[nodiscard]] bool is_empty() const { return used() == 0; }
    [[nodiscard]] std::uint64_t largest_free_range() const;  // one pass over the ranges
    [[nodiscard]] DescriptorManagerFigures figures() const {
        return {.capacity = capacity_, .live = used() - stale_count_, .stale = stale_count_, .peak = peak_};
    }
    // Of both parts together; small ranges that are kept for the next request count as used.
    [[nodiscard]] suballoc::Figures occupancy() const;
    // The used share of each of `cell_count` equal parts of the capacity, at most one a descriptor.
    [[nodiscard]] std::vector<double> occupancy_map(std::size_t cell_count) const;
    [[nodiscard]] Status validate_invariants() const;

private:
    DescriptorHeapAllocationManager(device::DescriptorHeapSource& source, device::DescriptorHeapId heap, bool owns_heap,
                                    std::uint32_t first, std::uint32_t capacity, const Options& options);
    [[nodiscard]] Status divide(const Options& options);
    [[nodiscard]] std::uint64_t used() const { return used_; }
    void free_range(const DescriptorRange& range);
    void give_back_kept();

    device::DescriptorHeapSource& source_;
    DescriptorHeapFacts facts_;
    bool owns_heap_;
    std::uint32_t first_;
    std::uint32_t capacity_;
    std::uint32_t manager_id_;
    model::SuballocatorKind kind_;
    std::uint32_t granule_;
    std::uint32_t chunk_ = 0;
    std::uint32_t chunks_end_ = 0;  // relative to first_
    std::optional<suballoc::SlotAllocator> chunks_;
    std::optional<pool::ChunkSpace> ranges_;
    static constexpr std::uint32_t kLargestKept = 8;
    static constexpr std::size_t kMostKept = 1024;                 // of one size
    std::array<std::vector<DescriptorRange>, kLargestKept> kept_;  // by size less one
    std::uint64_t kept_count_ = 0;                                 // descriptors in them
    LaneQueue<DescriptorRange> stale_;
    std::size_t ranges_out_ = 0;  // live or stale
    std::uint64_t used_ = 0;
    std::uint64_t stale_count_ = 0;
    std::uint64_t peak_ = 0;
};

}  // namespace heapwright::frame
