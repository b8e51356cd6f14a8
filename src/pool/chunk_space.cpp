#include "pool/chunk_space.hpp"

#include <algorithm>

#include <fmt/format.h>

#include "core/checked.hpp"

namespace heapwright::pool {
namespace {

bool is_ring(const suballoc::AnySuballocator& ranges) {
    return ranges.kind() == SuballocatorKind::kRing;
}

}  // namespace

Result<ChunkSpace> ChunkSpace::create(const Options& options) {
    const SuballocatorKind kind = options.kind;
    const bool is_best_fit = kind == SuballocatorKind::kFixedBlocks;
    const std::uint64_t granule =
        is_best_fit ? std::max(options.granule_bytes, options.alignment_bytes) : options.granule_bytes;
    HEAPWRIGHT_ASSIGN(auto ranges, suballoc::AnySuballocator::create(
                                       {.kind = kind, .capacity = options.capacity_bytes, .granule = granule}));
    const bool has_no_granule = kind == SuballocatorKind::kLinear || kind == SuballocatorKind::kRing;
    return ChunkSpace(std::move(ranges), granule, has_no_granule);
}

suballoc::AllocateResult ChunkSpace::allocate(std::uint64_t size_bytes, std::uint64_t alignment_bytes) {
    if (rounds_here_) {
        const auto rounded = checked_align_up(size_bytes, granule_bytes_);
        if (!rounded) return tl::unexpected(suballoc::AllocateFailure::kTooLarge);
        size_bytes = *rounded;
        alignment_bytes = std::max(alignment_bytes, granule_bytes_);
    }
    const suballoc::AllocateResult range = ranges_.allocate(size_bytes, alignment_bytes);
    if (!range) return range;
    ++live_;
    if (is_ring(ranges_)) {
        if (ring_frames_.empty() || ring_frames_.back().handle != range->handle)
            ring_frames_.push_back({.handle = range->handle});
        ++ring_frames_.back().live;
    }
    return range;
}

suballoc::AllocateResult ChunkSpace::allocate_at(std::uint64_t offset_bytes, std::uint64_t size_bytes) {
    const suballoc::AllocateResult range = ranges_.allocate_at(offset_bytes, size_bytes);
    if (range) ++live_;
    return range;
}

suballoc::FreeOutcome ChunkSpace::free(suballoc::SuballocationHandle handle) {
    const suballoc::FreeOutcome outcome = is_ring(ranges_) ? free_from_ring(handle) : ranges_.free(handle);
    if (outcome != suballoc::FreeOutcome::kInvalidHandle) --live_;
    return outcome;
}

suballoc::FreeOutcome ChunkSpace::free_from_ring(suballoc::SuballocationHandle handle) {
    const auto frame = std::ranges::find(ring_frames_, handle, &RingFrame::handle);
    if (frame == ring_frames_.end() || frame->live == 0) return suballoc::FreeOutcome::kInvalidHandle;
    --frame->live;
    if (live_ == 1) {
        ranges_.reset();
        ring_frames_.clear();
        closed_frames_ = 0;
        return suballoc::FreeOutcome::kFreed;
    }
    while (ring_frames_.front().live == 0 && ring_frames_.front().closed_as.value != 0) {
        ranges_.release_completed(ring_frames_.front().closed_as);
        ring_frames_.pop_front();
    }
    return suballoc::FreeOutcome::kDeferred;
}

void ChunkSpace::end_frame() {
    if (ring_frames_.empty() || ring_frames_.back().closed_as.value != 0) return;
    const TimelineValue value{closed_frames_ + 1};
    // Values only rise here, so that the ring has nothing to refuse; a frame left open would only grow.
    if (!ranges_.finish_frame(value)) return;
    closed_frames_ = value.value;
    ring_frames_.back().closed_as = value;
    while (!ring_frames_.empty() && ring_frames_.front().live == 0 && ring_frames_.front().closed_as.value != 0) {
        ranges_.release_completed(ring_frames_.front().closed_as);
        ring_frames_.pop_front();
    }
}

Status ChunkSpace::validate_invariants() const {
    HEAPWRIGHT_TRY(ranges_.validate_invariants());
    const std::uint64_t counted = ranges_.suballocation_count();
    if (!is_ring(ranges_) && counted == live_) return {};
    std::uint64_t in_frames = 0;
    for (const RingFrame& frame : ring_frames_) in_frames += frame.live;
    if (is_ring(ranges_) && counted >= live_ && in_frames == live_) return {};
    return fail(Error{.code = ErrorCode::kInvariantBroken,
                      .message = fmt::format("a chunk counts {} placements, its ring's frames {}, its suballocator {}",
                                             live_, in_frames, counted),
                      .value = counted,
                      .limit = live_});
}

}  // namespace heapwright::pool
