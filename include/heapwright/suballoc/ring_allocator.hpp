// RingAllocator: a ring with a tail for each frame, for uploads and other data that one frame writes and the GPU reads
// a few frames later. finish_frame(value) closes what was allocated since the last call; release_completed(value)
// takes back all frames whose value the GPU has passed. Single suballocations are not given back: free() says
// kDeferred.
// Guarantees: no overlap with a frame that is not completed; offsets aligned; a request never wraps (the rest of the
// block is skipped and counts to its frame); an empty ring gives its whole capacity, a ring without skipped space can
// be filled to the last unit. Not thread-safe. Errors: create() and finish_frame() by value, the rest by enum.
// Source: the dynamic upload heap of "Managing Resource Lifetimes" (Diligent Engine).
#pragma once

#include <bit>
#include <cstddef>
#include <cstdint>
#include <optional>

#include "heapwright/core/index.hpp"
#include "heapwright/core/result.hpp"
#include "heapwright/suballoc/detail/flat_ring.hpp"
#include "heapwright/suballoc/figures.hpp"
#include "heapwright/suballoc/suballocation.hpp"

namespace heapwright::suballoc {

struct RingOptions {
    std::uint64_t capacity = 0;  // at most 2^62
};

class RingAllocator {
public:
    [[nodiscard]] static Result<RingAllocator> create(const RingOptions& options);

    [[nodiscard]] AllocateResult allocate(std::uint64_t size, std::uint64_t alignment = 1) {
        // The free space begins at head_ and ends at `limit`: the block's end, or the tail once the head has wrapped.
        const std::uint64_t limit = head_ < tail_ || used_ == capacity_ ? tail_ : capacity_;
        const std::uint64_t lead = (0 - head_) & (alignment - 1);
        if (size == 0 || !is_alignment(alignment) || limit < head_ || lead > limit - head_ ||
            size > limit - head_ - lead) [[unlikely]]
            return wrap_or_refuse(size, alignment);
        return take(head_ + lead, size, lead);
    }

    // kDeferred while the handle's frame is not released, else kInvalidHandle.
    FreeOutcome free(SuballocationHandle handle) const;
    void reset();

    // Closes the frame: its space comes back once `value` is completed. Values must not fall.
    [[nodiscard]] Status finish_frame(TimelineValue value);
    // Returns how many frames came back.
    std::size_t release_completed(TimelineValue completed);

    [[nodiscard]] std::uint64_t capacity() const { return capacity_; }
    [[nodiscard]] std::uint64_t used() const { return used_; }  // skipped space included
    [[nodiscard]] std::uint64_t suballocation_count() const { return count_; }
    [[nodiscard]] bool is_empty() const { return count_ == 0; }
    // The value that the next frame to come back waits for.
    [[nodiscard]] std::optional<TimelineValue> oldest_frame() const {
        return frames_.empty() ? std::nullopt : std::optional(frames_.front().value);
    }
    [[nodiscard]] std::uint64_t largest_used() const { return largest_used_; }  // since create() or reset()
    [[nodiscard]] Figures figures() const;
    [[nodiscard]] Status validate_invariants() const;

    // visit(offset, size, is_used): one or two used ranges and one or two free ones, in order of offset.
    template <class Visit>
    void for_each_range(Visit&& visit) const {
        const auto visit_some = [&](std::uint64_t begin, std::uint64_t end, bool is_used) {
            if (begin < end) visit(begin, end - begin, is_used);
        };
        const bool is_wrapped = used_ != 0 && head_ <= tail_;
        visit_some(0, is_wrapped ? head_ : tail_, is_wrapped);
        if (is_wrapped)
            visit_some(head_, tail_, false);
        else
            visit_some(tail_, head_, true);
        visit_some(is_wrapped ? tail_ : head_, capacity_, is_wrapped);
    }

private:
    struct Frame {
        TimelineValue value = {};
        std::uint64_t head = 0;     // where the frame ends
        std::uint64_t size = 0;     // skipped space included
        std::uint64_t skipped = 0;  // alignment and the rest of the block at a wrap
        std::uint64_t count = 0;
    };

    explicit RingAllocator(std::uint64_t capacity) : capacity_(capacity) {}
    [[nodiscard]] AllocateResult wrap_or_refuse(std::uint64_t size, std::uint64_t alignment);

    AllocateResult take(std::uint64_t offset, std::uint64_t size, std::uint64_t skipped) {
        used_ += skipped + size;
        open_.size += skipped + size;
        open_.skipped += skipped;
        ++open_.count;
        ++count_;
        head_ = offset + size;
        if (used_ > largest_used_) largest_used_ = used_;
        return Suballocation{offset, size, frame_handle(open_serial_)};
    }
    [[nodiscard]] static SuballocationHandle frame_handle(std::uint64_t serial) {
        return {static_cast<std::uint32_t>(serial), static_cast<std::uint32_t>(serial >> 32)};
    }

    std::uint64_t capacity_;
    std::uint64_t head_ = 0;  // at most capacity_: a head at the block's end wraps with the next request
    std::uint64_t tail_ = 0;  // less than capacity_
    std::uint64_t used_ = 0;
    std::uint64_t count_ = 0;
    std::uint64_t largest_used_ = 0;
    std::uint64_t open_serial_ = 1;
    TimelineValue last_value_ = {};
    Frame open_ = {};
    detail::FlatRing<Frame> frames_;
};

}  // namespace heapwright::suballoc
