// The dynamic descriptors of one recording context: a linear walk through chunks of the shared dynamic part of the
// shader-visible heap. Only new chunks take a lock: at once as many as the last submission needed, where the heap has
// plenty. Nothing is freed alone: when the context's commands have been submitted, all chunks go back as a whole and
// wait for their fence. No two managers share a cache line. For the thread that records the context, and no other.
// Errors: those of GPUDescriptorHeap::allocate_dynamic. Ownership: the heap outlives it. Source: "Managing Descriptor
// Heaps" (Diligent Engine).
#pragma once

#include <algorithm>
#include <cstdint>
#include <vector>

#include "core/cache_line.hpp"
#include "frame/gpu_descriptor_heap.hpp"
#include "heapwright/core/result.hpp"

namespace heapwright::frame {

// A row of dynamic descriptors, good for the frame and the context that it was made in, until that is submitted.
struct DynamicDescriptors {
    std::uint32_t first = 0;  // index in the shader-visible heap
    std::uint32_t count = 0;
    std::uint32_t context = 0;
    std::uint32_t frame = 0;
    std::uint32_t submission = 0;  // how often the context had been submitted
};

class alignas(kCacheLineBytes) DynamicSuballocationsManager {
public:
    DynamicSuballocationsManager(GPUDescriptorHeap& heap, std::uint32_t context)
        : heap_(heap), chunk_(heap.layout().dynamic_chunk), context_(context) {}

    // Chunks that are still held go back as if they were used until the end of the frame.
    ~DynamicSuballocationsManager() = default;
    DynamicSuballocationsManager(const DynamicSuballocationsManager&) = delete;
    DynamicSuballocationsManager& operator=(const DynamicSuballocationsManager&) = delete;

    [[nodiscard]] Result<DynamicDescriptors> allocate(std::uint32_t count) {
        const std::uint32_t first_in_chunk = next_;
        if (count > end_ - first_in_chunk) [[unlikely]]
            return allocate_in_new_chunk(count);
        next_ = first_in_chunk + count;
        return row(first_in_chunk, count);
    }

    // Everything was submitted and is over at `last_use`.
    void discard(ReleasePoint last_use);
    void set_frame(std::uint32_t frame) { frame_ = frame; }
    // How often discard() was called: rows of an earlier count have gone back.
    [[nodiscard]] std::uint32_t submission() const { return submission_; }

    [[nodiscard]] device::DescriptorHeapId heap() const { return heap_.heap(); }
    // Those that are taken ahead included.
    [[nodiscard]] std::uint64_t chunk_count() const { return chunks_.size() + ahead_.size(); }
    // How often the heap's lock was taken for chunks.
    [[nodiscard]] std::uint64_t locks_taken() const { return locks_taken_; }
    // The most descriptors, and the most that were handed out, between two calls of discard().
    [[nodiscard]] std::uint64_t peak_reserved() const { return peak_reserved_; }
    [[nodiscard]] std::uint64_t peak_used() const { return std::max(peak_used_, used_before_chunk_ + used_in_chunk()); }

private:
    static constexpr std::uint64_t kMostAhead = 16;

    [[nodiscard]] Result<DynamicDescriptors> allocate_in_new_chunk(std::uint32_t count);
    [[nodiscard]] Result<DescriptorHeapAllocation> take_chunk(std::uint32_t count);
    [[nodiscard]] DynamicDescriptors row(std::uint32_t first, std::uint32_t count) const {
        return {.first = first, .count = count, .context = context_, .frame = frame_, .submission = submission_};
    }
    [[nodiscard]] std::uint64_t used_in_chunk() const {
        return chunks_.empty() ? 0 : next_ - chunks_.back().first_index();
    }

    GPUDescriptorHeap& heap_;
    std::uint32_t chunk_;
    std::uint32_t context_;
    std::uint32_t frame_ = 0;
    std::uint32_t submission_ = 0;
    std::uint32_t next_ = 0;
    std::uint32_t end_ = 0;
    std::vector<DescriptorHeapAllocation> chunks_;  // the last one is walked through
    std::vector<DescriptorHeapAllocation> ahead_;
    std::uint64_t equal_chunks_ = 0;       // among chunks_
    std::uint64_t last_equal_chunks_ = 0;  // of the last submission
    std::uint64_t locks_taken_ = 0;
    std::vector<DescriptorRange> discarded_;  // kept for its memory
    std::uint64_t reserved_ = 0;
    std::uint64_t used_before_chunk_ = 0;
    std::uint64_t peak_reserved_ = 0;
    std::uint64_t peak_used_ = 0;
};

}  // namespace heapwright::frame
