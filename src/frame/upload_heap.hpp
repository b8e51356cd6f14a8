// The upload heap: host-visible memory that the host writes in one frame and the device reads in the same frame. A
// ring with a tail for each frame; when a frame does not fit, pages beside it, each a ring of its own; uploads that are
// larger than a page get one that is theirs alone and waits for the device in a release queue.
// What is tried, in this order: the ring and its pages; what the device has passed meanwhile; a new page, up to
// most_bytes; and only then waiting for the oldest frame, which is counted as a stall. A page that has no room in the
// first of its memory types goes to the next.
// Guarantees: no range overlaps another one of a frame that the device has not passed.
// Thread-safe: one lock, held across device allocations and left while it waits for a frame; contexts take blocks
// (ContextUploads) and so lock rarely. Errors: kExhausted with the figures when nothing helps; the device's own.
// Ownership: the device and the timeline outlive it; the device is idle at its end. Sizes in bytes.
// Source: "Managing Resource Lifetimes" (Diligent Engine), upload heaps.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <mutex>
#include <optional>
#include <span>
#include <vector>

#include "core/cache_line.hpp"
#include "device/device.hpp"
#include "heapwright/core/result.hpp"
#include "heapwright/suballoc/release_queue.hpp"
#include "heapwright/suballoc/ring_allocator.hpp"
#include "pool/budgeted_memory.hpp"

namespace heapwright::frame {

// Good for the frame in which it was allocated, and for the context where one is named.
struct UploadRange {
    device::ResourceId buffer;
    device::AllocationId memory;
    std::uint64_t offset_bytes = 0;  // in the buffer and in its device memory
    std::span<std::byte> bytes;      // mapped
    std::uint32_t context = 0;
    std::uint32_t frame = 0;
};

struct UploadFigures {
    std::uint64_t capacity_bytes = 0;  // ring and pages, large ones included
    std::uint64_t peak_capacity_bytes = 0;
    std::uint64_t used_bytes = 0;  // not passed by the device
    std::uint64_t peak_used_bytes = 0;
    std::uint64_t pages_made = 0;        // beside the ring
    std::uint64_t large_pages_made = 0;  // of one upload
    std::uint64_t stalls = 0;            // requests that waited for the device
    std::uint64_t stalled_ns = 0;
};

class UploadHeap {
public:
    // What is copied to its place.
    static constexpr model::Flags kStagingUsage = model::buffer_usage::kTransferSrc | model::buffer_usage::kTransferDst;
    // What the device reads where it lies, as constants, vertices, indices or shader data: the first that memory of the
    // policy takes. Direct3D 12 has no storage buffers in memory for uploads, and a replayed report knows the cases
    // that were probed.
    static constexpr std::array<model::Flags, 3> kDynamicUsages{
        kStagingUsage | model::buffer_usage::kUniformTexel | model::buffer_usage::kStorageTexel |
            model::buffer_usage::kUniform | model::buffer_usage::kStorage | model::buffer_usage::kIndex |
            model::buffer_usage::kVertex | model::buffer_usage::kIndirect,
        kStagingUsage | model::buffer_usage::kUniformTexel | model::buffer_usage::kUniform |
            model::buffer_usage::kIndex | model::buffer_usage::kVertex | model::buffer_usage::kIndirect,
        model::buffer_usage::kTransferDst | model::buffer_usage::kUniform};

    struct Options {
        std::uint64_t ring_bytes = 0;
        std::uint64_t page_bytes = 0;
        std::uint64_t most_bytes = 0;  // ring and pages together
        model::Flags usage = kStagingUsage;
        // Whose limits the ring and the pages are charged to, such as a memory pool's; they outlive the upload heap.
        // Null: the device's own limits alone.
        pool::BudgetedMemory* accounts = nullptr;
    };

    // `memory_types` in the order of preference. Errors: kNotSupported when none of them takes upload buffers.
    [[nodiscard]] static Result<std::unique_ptr<UploadHeap>> create(device::Device& device, device::Timeline& timeline,
                                                                    std::span<const std::uint32_t> memory_types,
                                                                    const Options& options);
    ~UploadHeap();
    UploadHeap(const UploadHeap&) = delete;
    UploadHeap& operator=(const UploadHeap&) = delete;

    // Errors: also kInvalidArgument for no bytes, and for an alignment that is no power of two.
    [[nodiscard]] Result<UploadRange> allocate(std::uint64_t size_bytes, std::uint64_t alignment_bytes = 16);

    // Makes host writes visible to the device; before the work that reads them is submitted.
    [[nodiscard]] Status flush(const UploadRange& range);

    // The frame ends: its space comes back when the fence reads `value`.
    [[nodiscard]] Status finish_frame(TimelineValue value);
    void release_completed(TimelineValue completed);

    [[nodiscard]] model::Flags usage() const { return options_.usage; }
    [[nodiscard]] std::uint64_t ring_bytes() const { return options_.ring_bytes; }
    [[nodiscard]] std::uint64_t page_bytes() const { return options_.page_bytes; }
    // The host-visible ones of those it was made with, in the same order.
    [[nodiscard]] std::span<const MemoryTypeIndex> memory_types() const { return memory_types_; }
    [[nodiscard]] UploadFigures figures() const;
    [[nodiscard]] Status validate_invariants() const;

private:
    struct Memory {
        MemoryTypeIndex memory_type;
        std::uint64_t charged_bytes = 0;
        device::AllocationId allocation;
        device::ResourceId buffer;
        std::span<std::byte> bytes;
    };
    struct Page {
        Memory memory;
        suballoc::RingAllocator ring;
        bool is_open = false;  // allocated from in this frame
        std::uint32_t idle_frames = 0;
    };

    UploadHeap(device::Device& device, device::Timeline& timeline, const Options& options)
        : device_(device), timeline_(timeline), options_(options) {}

    [[nodiscard]] Result<Memory> make_memory(std::uint64_t size_bytes);
    [[nodiscard]] Result<Memory> make_memory_in(MemoryTypeIndex memory_type, std::uint64_t size_bytes,
                                                std::uint64_t required_bytes);
    [[nodiscard]] Result<device::AllocationId> take(MemoryTypeIndex memory_type, std::uint64_t size_bytes);
    void give_back(const Memory& memory);
    void destroy(const Memory& memory);
    [[nodiscard]] Status add_page(std::uint64_t size_bytes);
    [[nodiscard]] std::optional<UploadRange> from_pages(std::uint64_t size_bytes, std::uint64_t alignment_bytes);
    [[nodiscard]] Result<UploadRange> from_large_page(std::unique_lock<std::mutex>& lock, std::uint64_t size_bytes);
    // Leaves the lock meanwhile: who asks for what fits does not wait.
    [[nodiscard]] Result<bool> wait_for_oldest_frame(std::unique_lock<std::mutex>& lock);
    // Pages beside the ring that hold nothing; whether there was one.
    bool give_back_empty_page();
    void release_locked(TimelineValue completed);
    [[nodiscard]] Status poll_locked();
    [[nodiscard]] std::uint64_t used_locked() const;
    [[nodiscard]] Error exhausted(std::uint64_t size_bytes) const;
    // Whether an empty heap could serve it: if not, waiting helps nobody.
    [[nodiscard]] bool can_ever_fit(std::uint64_t size_bytes) const;

    device::Device& device_;
    device::Timeline& timeline_;
    Options options_;
    std::vector<MemoryTypeIndex> memory_types_;  // in the order of preference
    mutable std::mutex mutex_;
    std::vector<std::unique_ptr<Page>> pages_;  // the first is the ring
    std::vector<Memory> large_of_frame_;
    std::uint64_t large_bytes_ = 0;  // of this frame and of those that the device has not passed
    suballoc::ReleaseQueue<Memory> retired_;
    UploadFigures figures_;
};

// The uploads of one recording context: a linear walk through blocks of the shared heap, so that only a new block takes
// the lock. No two of them share a cache line. For the thread that records the context.
class alignas(kCacheLineBytes) ContextUploads {
public:
    // A larger request goes to the heap directly.
    static constexpr std::uint64_t kBlockBytes = 256 * 1024;
    // Of every block and of whatever the heap gives directly.
    static constexpr std::uint64_t kLeastAlignmentBytes = 16;

    ContextUploads(UploadHeap& heap, std::uint32_t context)
        : heap_(heap), context_(context), block_bytes_(std::min(kBlockBytes, heap.page_bytes())) {}

    // As UploadHeap::allocate().
    [[nodiscard]] Result<UploadRange> allocate(std::uint64_t size_bytes, std::uint64_t alignment_bytes = 16) {
        const std::uint64_t begin = (next_ + alignment_bytes - 1) & ~(alignment_bytes - 1);
        // What is not aligned and what has no bytes goes to the heap, which refuses it.
        if (begin > end_ || size_bytes - 1 >= end_ - begin || !suballoc::is_alignment(alignment_bytes)) [[unlikely]]
            return allocate_slow(size_bytes, alignment_bytes);
        next_ = begin + size_bytes;
        return UploadRange{.buffer = block_.buffer,
                           .memory = block_.memory,
                           .offset_bytes = begin,
                           .bytes = {block_.bytes.data() + (begin - block_.offset_bytes), size_bytes},
                           .context = context_,
                           .frame = frame_};
    }

    // Commands use the range, which may have been written since an earlier submission of the frame flushed it.
    void note_use(const UploadRange& range) {
        const bool is_in_block = range.buffer == block_.buffer && range.offset_bytes >= block_.offset_bytes &&
                                 range.offset_bytes + range.bytes.size() <= end_;
        if (!is_in_block && range.frame == frame_) [[unlikely]]
            note_earlier(range);
    }
    // Before the context's list is submitted.
    [[nodiscard]] Status flush();
    // The list was submitted: what was allocated belongs to the frame now.
    void discard();
    void set_frame(std::uint32_t frame) { frame_ = frame; }

private:
    [[nodiscard]] Result<UploadRange> allocate_slow(std::uint64_t size_bytes, std::uint64_t alignment_bytes);
    void note_earlier(const UploadRange& range);

    UploadHeap& heap_;
    std::uint32_t context_;
    std::uint32_t frame_ = 0;
    std::uint64_t block_bytes_;
    std::uint64_t next_ = 0;
    std::uint64_t end_ = 0;
    UploadRange block_;
    std::vector<UploadRange> written_;  // what the next submission flushes
};

}  // namespace heapwright::frame
