// The dynamic descriptors of one recording context: a linear walk through chunks of the shared dynamic part of the
// shader-visible heap. Only a new chunk takes a lock. Nothing is freed alone: when the context's commands have been
// submitted, all chunks go back as a whole and wait for their fence. No two managers share a cache line.
// For the thread that records the context, and no other. Errors: those of GPUDescriptorHeap::allocate_dynamic.
// Ownership: the heap outlives it. Source: "Managing Descriptor Heaps" (Diligent Engine).
#pragma once

#include <algorithm>
#include <cstdint>
#include <vector>

#include "heapwright/core/cache_line.hpp"
#include "heapwright/core/result.hpp"
#include "heapwright/runtime/gpu_descriptor_heap.hpp"

namespace heapwright::runtime {

// A row of dynamic descriptors, good for the frame and the context that it was made in.
struct DynamicDescriptors {
    std::uint32_t first = 0;  // index in the shader-visible heap
    std::uint32_t count = 0;
    std::uint32_t context = 0;
    std::uint32_t frame = 0;
};

class alignas(kCacheLineBytes) DynamicSuballocationsManager {
public:
    DynamicSuballocationsManager(GPUDescriptorHeap& heap, std::uint32_t context)
        : heap_(heap), chunk_(heap.layout().dynamic_chunk), context_(context) {}

    // Chunks that are still held go back as if they were used by the command list that is submitted next.
    ~DynamicSuballocationsManager() = default;
    DynamicSuballocationsManager(const DynamicSuballocationsManager&) = delete;
    DynamicSuballocationsManager& operator=(const DynamicSuballocationsManager&) = delete;

    [[nodiscard]] Result<DynamicDescriptors> allocate(std::uint32_t count) {
        if (count > left_) [[unlikely]]
            HEAPWRIGHT_TRY(take_chunk(count));
        const std::uint32_t first = next_;
        next_ += count;
        left_ -= count;
        return DynamicDescriptors{.first = first, .count = count, .context = context_, .frame = frame_};
    }

    // Everything was submitted and is over once the fence reads `last_use`.
    void discard(TimelineValue last_use);
    void set_frame(std::uint32_t frame) { frame_ = frame; }

    [[nodiscard]] device::DescriptorHeapId heap() const { return heap_.heap(); }
    [[nodiscard]] std::uint64_t chunk_count() const { return chunks_.size(); }
    // The most descriptors, and the most that were handed out, between two calls of discard().
    [[nodiscard]] std::uint64_t peak_reserved() const { return peak_reserved_; }
    [[nodiscard]] std::uint64_t peak_used() const { return std::max(peak_used_, used_before_chunk_ + used_in_chunk()); }

private:
    [[nodiscard]] Status take_chunk(std::uint32_t count);
    [[nodiscard]] std::uint64_t used_in_chunk() const {
        return chunks_.empty() ? 0 : next_ - chunks_.back().first_index();
    }

    GPUDescriptorHeap& heap_;
    std::uint32_t chunk_;
    std::uint32_t context_;
    std::uint32_t frame_ = 0;
    std::uint32_t next_ = 0;
    std::uint32_t left_ = 0;
    std::vector<DescriptorHeapAllocation> chunks_;
    std::vector<DescriptorRange> discarded_;  // kept for its memory
    std::uint64_t reserved_ = 0;
    std::uint64_t used_before_chunk_ = 0;
    std::uint64_t peak_reserved_ = 0;
    std::uint64_t peak_used_ = 0;
};

}  // namespace heapwright::runtime
