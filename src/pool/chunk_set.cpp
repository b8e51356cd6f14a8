#include "pool/chunk_set.hpp"

#include <algorithm>
#include <functional>
#include <utility>

#include <fmt/format.h>

#include "contract/bucket_choice.hpp"
#include "contract/chunks.hpp"
#include "core/checked.hpp"
#include "core/rollback.hpp"

namespace heapwright::pool {

namespace {

tl::unexpected<Error> chunks_broken(const model::BucketPolicy& policy, std::string what) {
    return fail(ErrorCode::kInvariantBroken, std::move(what), "bucket " + policy.id);
}

}  // namespace

ChunkSet::ChunkSet(const model::BucketPolicy& policy, ChunkMemory& memory, const Options& options)
    : policy_(policy),
      memory_(memory),
      options_(options),
      is_by_bins_(policy.chunk_choice.value == model::ChunkChoice::kTightest &&
                  policy.suballocator.value == model::SuballocatorKind::kTlsf) {}

std::uint64_t ChunkSet::rounded_size(std::uint64_t size_bytes) const {
    return checked_align_up(size_bytes, options_.smallest_alignment_bytes).value_or(size_bytes);
}

void ChunkSet::note_ranges(std::uint32_t slot) {
    const ChunkSpace& space = slots_[slot]->space;
    if (is_by_bins_)
        by_bins_.set(slot, space.bins()->filled_bins(), space.bins()->loose_bin(), space.free_bytes());
    else
        fullest_first_.set_free_bytes(slot, space.free_bytes());
}

void ChunkSet::note_empty(std::uint32_t slot) {
    empty_slots_.insert(std::ranges::lower_bound(empty_slots_, slot), slot);
}

void ChunkSet::note_filled(std::uint32_t slot) {
    empty_slots_.erase(std::ranges::lower_bound(empty_slots_, slot));
}

void ChunkSet::end_keeping(Chunk& chunk) {
    if (!std::exchange(chunk.is_kept_empty, false)) return;
    memory_.end_keeping(chunk.piece.size_bytes);
}

Placement ChunkSet::placement_in(std::uint32_t slot, const suballoc::Suballocation& range) {
    Chunk& chunk = *slots_[slot];
    if (chunk.space.live_count() == 1) {
        note_filled(slot);
        end_keeping(chunk);
    }
    note_ranges(slot);
    return {.memory = chunk.piece.memory,
            .offset_bytes = range.offset,
            .size_bytes = range.size,
            .memory_type = MemoryTypeIndex{policy_.memory_type},
            .bucket = options_.index,
            .chunk = slot,
            .handle = range.handle};
}

std::optional<Placement> ChunkSet::allocate_from(std::uint32_t slot, std::uint64_t size_bytes,
                                                 std::uint64_t alignment_bytes) {
    const auto range = slots_[slot]->space.allocate(size_bytes, alignment_bytes);
    if (!range) return std::nullopt;
    return placement_in(slot, *range);
}

std::optional<Placement> ChunkSet::allocate_rounded(std::uint64_t size_bytes, std::uint64_t alignment_bytes) {
    const auto allocate = [&](std::uint32_t slot) { return allocate_from(slot, size_bytes, alignment_bytes); };
    if (!is_by_bins_) return contract::allocate_from_fullest(fullest_first_, size_bytes, allocate);
    using Bins = suballoc::TlsfAllocator;
    const std::uint64_t granule = policy_.granule_bytes.value;
    const Bins::BinsFor bins = Bins::bins_for(size_bytes, alignment_bytes, granule);
    return contract::allocate_from_tightest(
        by_bins_, {.first = bins.first, .certain = bins.certain},
        [&](std::uint32_t slot, std::uint32_t bin, bool is_last_resort) {
            if (!is_last_resort && alignment_bytes <= granule)
                return slots_[slot]->space.bins()->fits_in_own_bin(size_bytes);
            const std::uint64_t range_bytes = slots_[slot]->space.fit_bytes(size_bytes, alignment_bytes);
            return range_bytes != 0 && Bins::bin_of_range(range_bytes, granule) <= bin;
        },
        allocate);
}

std::optional<Placement> ChunkSet::allocate_in_place(std::uint64_t size_bytes, std::uint64_t alignment_bytes) {
    return allocate_rounded(rounded_size(size_bytes), std::max(alignment_bytes, options_.smallest_alignment_bytes));
}

void ChunkSet::make_room_for_slot() {
    if (!vacant_slots_.empty()) return;
    const std::size_t slots = slots_.size() + 1;
    if (vacant_slots_.capacity() < slots) {
        empty_slots_.reserve(slots * 2);
        vacant_slots_.reserve(slots * 2);  // last: its capacity says that both are done
    }
    slots_.emplace_back();
    vacant_slots_.push_back(static_cast<std::uint32_t>(slots - 1));
}

Result<std::uint32_t> ChunkSet::add_chunk(std::uint64_t size_bytes, std::uint64_t needed_bytes) {
    make_room_for_slot();
    HEAPWRIGHT_ASSIGN(const ChunkMemory::Piece piece, memory_.take(size_bytes, needed_bytes));
    Rollback taken([&] { memory_.give_back(piece); });
    HEAPWRIGHT_ASSIGN(ChunkSpace space, ChunkSpace::create({.kind = policy_.suballocator.value,
                                                            .capacity_bytes = piece.size_bytes,
                                                            .granule_bytes = policy_.granule_bytes.value,
                                                            .alignment_bytes = policy_.alignment_bytes}));
    // The lowest, which also wins where chunks are equally good: those of high slots drain.
    const std::uint32_t slot = vacant_slots_.front();
    if (is_by_bins_)
        by_bins_.reserve(slot, space.bins()->filled_bins().size());
    else
        fullest_first_.add(slot, space.free_bytes());
    taken.keep();
    std::ranges::pop_heap(vacant_slots_, std::greater());
    vacant_slots_.pop_back();
    slots_[slot].emplace(Chunk{.piece = piece, .space = std::move(space)});
    held_bytes_ += piece.size_bytes;
    note_ranges(slot);
    note_empty(slot);
    return slot;
}

std::uint64_t ChunkSet::placement_unit_bytes() const {
    return std::max(contract::chunk_unit_bytes(policy_), options_.smallest_alignment_bytes);
}

std::uint64_t ChunkSet::next_chunk_bytes(std::uint64_t more_bytes) const {
    return contract::next_chunk_bytes(policy_, held_bytes_ + more_bytes, options_.largest_chunk_bytes);
}

Result<Placement> ChunkSet::allocate(std::uint64_t size_bytes, std::uint64_t alignment_bytes, std::uint64_t shrink) {
    const std::uint64_t size = rounded_size(size_bytes);
    const std::uint64_t alignment = std::max(alignment_bytes, options_.smallest_alignment_bytes);
    if (auto placement = allocate_rounded(size, alignment)) return *placement;

    const auto needed = checked_align_up(size, contract::chunk_unit_bytes(policy_));
    if (!needed || *needed > options_.largest_chunk_bytes || !contract::chunk_can_hold(policy_, size, alignment)) {
        return fail(
            Error{.code = ErrorCode::kOutOfRange,
                  .message = fmt::format("no chunk of the bucket can hold the request at alignment {}", alignment),
                  .where = "bucket " + policy_.id,
                  .value = size_bytes,
                  .limit = options_.largest_chunk_bytes});
    }
    HEAPWRIGHT_ASSIGN(
        const std::uint32_t slot,
        add_chunk(contract::new_chunk_bytes(policy_, held_bytes_, options_.largest_chunk_bytes, shrink, *needed),
                  *needed));
    Rollback added([&] { memory_.give_back(remove_chunk(slot)); });
    auto placement = allocate_from(slot, size, alignment);
    if (!placement) {
        return chunks_broken(policy_,
                             fmt::format("an empty chunk did not hold {} bytes at alignment {}", size, alignment));
    }
    added.keep();
    return *placement;
}

Result<Placement> ChunkSet::allocate_at(std::uint32_t chunk, std::uint64_t offset_bytes, std::uint64_t size_bytes) {
    if (chunk < slots_.size() && slots_[chunk]) {
        if (const auto range = slots_[chunk]->space.allocate_at(offset_bytes, size_bytes))
            return placement_in(chunk, *range);
    }
    return fail(
        Error{.code = ErrorCode::kExhausted,
              .message = fmt::format("{} bytes at offset {} of chunk {} are not free", size_bytes, offset_bytes, chunk),
              .where = "bucket " + policy_.id,
              .value = offset_bytes});
}

Status ChunkSet::free(const Placement& placement) {
    if (placement.chunk >= slots_.size() || !slots_[placement.chunk] ||
        slots_[placement.chunk]->piece.memory != placement.memory) {
        return chunks_broken(policy_, fmt::format("slot {} holds no chunk with that heap", placement.chunk));
    }
    Chunk& chunk = *slots_[placement.chunk];
    const suballoc::FreeOutcome outcome = chunk.space.free(placement.handle);
    if (outcome == suballoc::FreeOutcome::kInvalidHandle) {
        return chunks_broken(policy_, fmt::format("the placement at offset {} is not live: {}", placement.offset_bytes,
                                                  suballoc::to_string(outcome)));
    }
    note_ranges(placement.chunk);
    if (!chunk.space.is_empty()) return {};
    note_empty(placement.chunk);
    chunk.empty_since = epoch_;
    if (!try_keep(chunk) && options_.beyond_share_age == 0) memory_.give_back(remove_chunk(placement.chunk));
    return {};
}

bool ChunkSet::try_keep(Chunk& chunk) {
    if (!chunk.is_kept_empty) chunk.is_kept_empty = memory_.keep_empty(chunk.piece.size_bytes);
    return chunk.is_kept_empty;
}

bool ChunkSet::has_outlived(Chunk& chunk) {
    if (!try_keep(chunk)) return epoch_ - chunk.empty_since > options_.beyond_share_age;
    return contract::has_outlived(epoch_, chunk.empty_since, options_.empty_chunk_age, empty_slots_.size());
}

ChunkMemory::Piece ChunkSet::remove_chunk(std::uint32_t slot) {
    end_keeping(*slots_[slot]);
    const ChunkMemory::Piece piece = slots_[slot]->piece;
    held_bytes_ -= piece.size_bytes;
    if (slots_[slot]->space.is_empty()) note_filled(slot);
    if (is_by_bins_)
        by_bins_.clear(slot);
    else
        fullest_first_.remove(slot);
    slots_[slot].reset();
    vacant_slots_.push_back(slot);
    std::ranges::push_heap(vacant_slots_, std::greater());
    return piece;
}

void ChunkSet::end_ring_frames() {
    for (std::uint32_t slot = 0; slot < slots_.size(); ++slot) {
        if (!slots_[slot] || slots_[slot]->space.is_empty()) continue;
        slots_[slot]->space.end_frame();
        note_ranges(slot);
    }
}

void ChunkSet::age() {
    ++epoch_;
    for (std::size_t i = 0; i < empty_slots_.size();) {
        const std::uint32_t slot = empty_slots_[i];
        if (has_outlived(*slots_[slot]))
            memory_.give_back(remove_chunk(slot));
        else
            ++i;
    }
    if (policy_.suballocator.value == model::SuballocatorKind::kRing) end_ring_frames();
}

// What a set of chunks tells of itself: its layout, its figures, and whether its books agree.

std::vector<ChunkSet::ChunkRanges> ChunkSet::layout() const {
    std::vector<ChunkRanges> layout;
    for (std::uint32_t slot = 0; slot < slots_.size(); ++slot) {
        if (!slots_[slot]) continue;
        ChunkRanges& chunk = layout.emplace_back();
        chunk.chunk = slot;
        chunk.capacity_bytes = slots_[slot]->space.capacity_bytes();
        slots_[slot]->space.for_each_range([&](std::uint64_t offset, std::uint64_t size, bool is_used) {
            if (is_used) chunk.used.push_back({.offset_bytes = offset, .size_bytes = size});
        });
    }
    return layout;
}

BucketFigures ChunkSet::figures() const {
    BucketFigures figures{.id = policy_.id, .memory_type = policy_.memory_type};
    double fragmentation = 0;
    std::uint64_t with_free_bytes = 0;
    for (const std::optional<Chunk>& slot : slots_) {
        if (!slot) continue;
        const Chunk& chunk = *slot;
        const suballoc::Figures one = chunk.space.figures();
        ++figures.chunks;
        if (chunk.space.is_empty()) ++figures.empty_chunks;
        figures.reserved_bytes += chunk.piece.size_bytes;
        figures.suballocations += one;
        if (one.free != 0) {
            fragmentation += one.external_fragmentation();
            ++with_free_bytes;
        }
    }
    if (with_free_bytes != 0) figures.mean_fragmentation = fragmentation / static_cast<double>(with_free_bytes);
    return figures;
}

std::vector<ChunkFigures> ChunkSet::chunk_figures(std::size_t cell_count) const {
    std::vector<ChunkFigures> all;
    for (const std::optional<Chunk>& chunk : slots_) {
        if (!chunk) continue;
        all.push_back({.size_bytes = chunk->piece.size_bytes,
                       .suballocations = chunk->space.figures(),
                       .used_shares = chunk->space.occupancy_map(cell_count)});
    }
    return all;
}

Status ChunkSet::validate_invariants() const {
    const auto broken = [this](std::string what) {
        return fail(ErrorCode::kInvariantBroken, std::move(what), "bucket " + policy_.id);
    };
    std::size_t chunks = 0;
    std::size_t empty = 0;
    std::uint64_t held = 0;
    for (std::uint32_t slot = 0; slot < slots_.size(); ++slot) {
        if (!slots_[slot]) continue;
        ++chunks;
        const Chunk& chunk = *slots_[slot];
        HEAPWRIGHT_TRY(chunk.space.validate_invariants());
        if (chunk.space.capacity_bytes() > chunk.piece.size_bytes) {
            return broken(fmt::format("slot {} divides {} bytes of a chunk of {}", slot, chunk.space.capacity_bytes(),
                                      chunk.piece.size_bytes));
        }
        if (is_by_bins_ && !by_bins_.agrees(slot, chunk.space.bins()->filled_bins(), chunk.space.bins()->loose_bin(),
                                            chunk.space.free_bytes()))
            return broken(fmt::format("slot {} is not listed in the bins of its free ranges", slot));
        if (!is_by_bins_ && !fullest_first_.is_at_its_place(slot))
            return broken(fmt::format("slot {} is not listed where its place says", slot));
        held += chunk.piece.size_bytes;
        empty += chunk.space.is_empty() ? 1u : 0u;
    }
    if (held != held_bytes_) return broken(fmt::format("holds {} bytes, counts {}", held, held_bytes_));
    if (!is_by_bins_ && chunks != fullest_first_.size())
        return broken(fmt::format("{} chunks, {} listed", chunks, fullest_first_.size()));
    for (const contract::ChunkOrder::Entry& entry : fullest_first_.entries()) {
        const std::uint64_t free = slots_[entry.slot]->space.free_bytes();
        if (free == entry.free_bytes) continue;
        return broken(
            fmt::format("slot {} has {} free bytes and is listed with {}", entry.slot, free, entry.free_bytes));
    }
    if (!std::ranges::is_sorted(fullest_first_.entries(), {}, &contract::ChunkOrder::Entry::free_bytes))
        return broken("the chunks are not in order of free bytes");
    const auto is_empty = [&](std::uint32_t slot) { return slots_[slot] && slots_[slot]->space.is_empty(); };
    if (empty_slots_.size() != empty || !std::ranges::all_of(empty_slots_, is_empty) ||
        !std::ranges::is_sorted(empty_slots_))
        return broken(fmt::format("{} chunks are empty, {} are listed as such", empty, empty_slots_.size()));
    return {};
}

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
    if (!is_ring(ranges_)) {
        const suballoc::AllocateResult range = ranges_.allocate(size_bytes, alignment_bytes);
        if (range) ++live_;
        return range;
    }
    ring_frames_.reserve(ring_frames_.size() + 1);  // now: the range is not to be lost where host memory runs out
    const suballoc::AllocateResult range = ranges_.allocate(size_bytes, alignment_bytes);
    if (!range) return range;
    ++live_;
    if (ring_frames_.empty() || ring_frames_.back().handle != range->handle)
        ring_frames_.push({.handle = range->handle});
    ++ring_frames_.back().live;
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
    std::size_t at = 0;
    while (at < ring_frames_.size() && ring_frames_[at].handle != handle) ++at;
    if (at == ring_frames_.size() || ring_frames_[at].live == 0) return suballoc::FreeOutcome::kInvalidHandle;
    --ring_frames_[at].live;
    if (live_ == 1) {
        ranges_.reset();
        ring_frames_.clear();
        closed_frames_ = 0;
        return suballoc::FreeOutcome::kFreed;
    }
    while (ring_frames_.front().live == 0 && ring_frames_.front().closed_as.value != 0) {
        ranges_.release_completed(ring_frames_.front().closed_as);
        ring_frames_.pop();
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
        ring_frames_.pop();
    }
}

Status ChunkSpace::validate_invariants() const {
    HEAPWRIGHT_TRY(ranges_.validate_invariants());
    const std::uint64_t counted = ranges_.suballocation_count();
    if (!is_ring(ranges_) && counted == live_) return {};
    std::uint64_t in_frames = 0;
    for (std::size_t i = 0; i < ring_frames_.size(); ++i) in_frames += ring_frames_[i].live;
    if (is_ring(ranges_) && counted >= live_ && in_frames == live_) return {};
    return fail(Error{.code = ErrorCode::kInvariantBroken,
                      .message = fmt::format("a chunk counts {} placements, its ring's frames {}, its suballocator {}",
                                             live_, in_frames, counted),
                      .value = counted,
                      .limit = live_});
}

}  // namespace heapwright::pool
