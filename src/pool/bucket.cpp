#include "heapwright/pool/bucket.hpp"

#include <algorithm>
#include <utility>

#include <fmt/format.h>

#include "heapwright/core/checked.hpp"

namespace heapwright::pool {
namespace {

// An empty chunk beside another waits this part of the age: frames that differ meet it, a load that is over does not.
constexpr std::uint32_t kSurplusAgeParts = 8;

tl::unexpected<Error> broken(const model::BucketPolicy& policy, std::string what) {
    return fail(ErrorCode::kInvariantBroken, std::move(what), "bucket " + policy.id);
}

}  // namespace

Bucket::Bucket(const model::BucketPolicy& policy, BudgetedHeaps& heaps, const Options& options)
    : policy_(policy),
      heaps_(heaps),
      options_(options),
      reserve_(options.background && policy.chunks_ahead ? policy.chunks_ahead->value : 0),
      anchor_(std::make_unique<background::Anchor<Bucket>>(*this)),
      back_(anchor_->back_pointer()) {}

Bucket::~Bucket() {
    anchor_.reset();
    for (const ChunkReserve::Chunk& chunk : reserve_.take_all(epoch_))
        heaps_.give_back(chunk.heap, memory_type(), chunk.size_bytes);
    for (const std::optional<Chunk>& chunk : slots_) {
        if (chunk) heaps_.give_back(chunk->heap, memory_type(), chunk->size_bytes);
    }
}

std::uint64_t Bucket::rounded_size(std::uint64_t size_bytes) const {
    return checked_align_up(size_bytes, options_.smallest_alignment_bytes).value_or(size_bytes);
}

void Bucket::note_empty(std::uint32_t slot) {
    empty_slots_.insert(std::ranges::lower_bound(empty_slots_, slot), slot);
}

void Bucket::note_filled(std::uint32_t slot) {
    empty_slots_.erase(std::ranges::lower_bound(empty_slots_, slot));
}

void Bucket::end_keeping(Chunk& chunk) {
    if (!chunk.is_kept_empty) return;
    chunk.is_kept_empty = false;
    heaps_.end_keeping(memory_type(), chunk.size_bytes);
}

Placement Bucket::placement_in(std::uint32_t slot, const suballoc::Suballocation& range) {
    Chunk& chunk = *slots_[slot];
    if (chunk.space.live_count() == 1) {
        note_filled(slot);
        end_keeping(chunk);
    }
    fullest_first_.set_free_bytes(slot, chunk.space.free_bytes());
    return {.heap = chunk.heap,
            .offset_bytes = range.offset,
            .size_bytes = range.size,
            .memory_type = memory_type(),
            .bucket = options_.index,
            .chunk = slot,
            .handle = range.handle};
}

std::optional<Placement> Bucket::allocate_from(std::uint32_t slot, std::uint64_t size_bytes,
                                               std::uint64_t alignment_bytes) {
    const auto range = slots_[slot]->space.allocate(size_bytes, alignment_bytes);
    if (!range) return std::nullopt;
    return placement_in(slot, *range);
}

// The best fit of all chunks; of equal ones the fullest. A search of a chunk meets several of its cache lines, so only
// those are searched of which less is known than that they do worse.
std::optional<Placement> Bucket::allocate_tightest(std::size_t first, std::uint64_t size_bytes,
                                                   std::uint64_t alignment_bytes) {
    const std::size_t count = fullest_first_.size();
    least_fits_.assign(count, 0);
    std::size_t promising = count;
    for (std::size_t i = first; i < count; ++i) {
        least_fits_[i] = slots_[fullest_first_.slot_at(i)]->space.least_fit_bytes(size_bytes);
        if (least_fits_[i] != 0 && (promising == count || least_fits_[i] < least_fits_[promising])) promising = i;
    }
    if (promising == count) return std::nullopt;
    std::size_t tightest = count;
    std::uint64_t smallest = ~0ull;
    const auto search = [&](std::size_t i) {
        const std::uint64_t range = slots_[fullest_first_.slot_at(i)]->space.fit_bytes(size_bytes, alignment_bytes);
        if (range == 0 || range > smallest || (range == smallest && i > tightest)) return;
        smallest = range;
        tightest = i;
    };
    search(promising);
    for (std::size_t i = first; i < count; ++i) {
        const std::uint64_t least = least_fits_[i];
        const bool is_worse = least == 0 || least > smallest || (least == smallest && i > tightest);
        if (!is_worse && i != promising) search(i);
    }
    if (tightest == count) return std::nullopt;
    return allocate_from(fullest_first_.slot_at(tightest), size_bytes, alignment_bytes);
}

std::optional<Placement> Bucket::allocate_locked(std::uint64_t size_bytes, std::uint64_t alignment_bytes) {
    const std::size_t first = fullest_first_.first_with(size_bytes);
    if (policy_.chunk_choice.value == model::ChunkChoice::kTightest) {
        if (auto placement = allocate_tightest(first, size_bytes, alignment_bytes)) return placement;
    }
    // The fullest chunk that has room: the emptier ones drain and can be given back.
    for (std::size_t i = first; i < fullest_first_.size(); ++i) {
        if (auto placement = allocate_from(fullest_first_.slot_at(i), size_bytes, alignment_bytes)) return placement;
    }
    return std::nullopt;
}

std::optional<Placement> Bucket::allocate_in_place(std::uint64_t size_bytes, std::uint64_t alignment_bytes) {
    const std::lock_guard lock(mutex_);
    return allocate_locked(rounded_size(size_bytes), std::max(alignment_bytes, options_.smallest_alignment_bytes));
}

device::HeapRequest Bucket::heap_request(std::uint64_t size_bytes) const {
    return {.memory_type = memory_type(),
            .size_bytes = size_bytes,
            .priority = options_.priority,
            .device_address = options_.device_address};
}

Result<std::uint32_t> Bucket::add_chunk(std::uint64_t size_bytes, std::uint64_t needed_bytes) {
    const std::optional<ChunkReserve::Chunk> ready = reserve_.take(needed_bytes);
    if (ready) size_bytes = ready->size_bytes;
    auto space = ChunkSpace::create({.kind = policy_.suballocator.value,
                                     .capacity_bytes = size_bytes,
                                     .granule_bytes = policy_.granule_bytes.value,
                                     .alignment_bytes = policy_.alignment_bytes});
    if (!space) {
        if (ready) reserve_.put_back(*ready);
        return fail(std::move(space.error()));
    }
    device::HeapId heap;
    if (ready) {
        heap = ready->heap;
    } else {
        HEAPWRIGHT_ASSIGN(heap, heaps_.take(heap_request(size_bytes)));
    }
    if (vacant_slots_.empty()) {
        vacant_slots_.push_back(static_cast<std::uint32_t>(slots_.size()));
        slots_.emplace_back();
    }
    const std::uint32_t slot = vacant_slots_.back();
    vacant_slots_.pop_back();
    const std::uint64_t free = space->free_bytes();
    slots_[slot].emplace(Chunk{.heap = heap, .size_bytes = size_bytes, .space = std::move(*space)});
    held_bytes_ += size_bytes;
    fullest_first_.add(slot, free);
    note_empty(slot);
    return slot;
}

std::uint64_t Bucket::placement_unit_bytes() const {
    return std::max(unit_bytes(), options_.smallest_alignment_bytes);
}

std::uint64_t Bucket::unit_bytes() const {
    const std::uint64_t granule = policy_.granule_bytes.value;
    return policy_.suballocator.value == model::SuballocatorKind::kFixedBlocks
               ? std::max(granule, policy_.alignment_bytes)
               : granule;
}

std::uint64_t Bucket::grown_chunk_bytes(std::uint64_t held_bytes) const {
    const std::uint64_t largest = std::min(policy_.chunk_size_bytes.value, options_.largest_chunk_bytes);
    if (!policy_.growth) return largest;
    const std::uint64_t first = policy_.growth->first_chunk_bytes.value;
    const std::uint64_t most = std::min(largest, std::max(first, held_bytes / policy_.growth->divisor.value));
    std::uint64_t grown = std::min(first, largest);
    while (grown <= most / 2) grown *= 2;
    return grown;
}

std::uint64_t Bucket::next_chunk_bytes() const {
    const std::lock_guard lock(mutex_);
    return grown_chunk_bytes(held_bytes_);
}

Result<Placement> Bucket::allocate(std::uint64_t size_bytes, std::uint64_t alignment_bytes, std::uint64_t shrink) {
    bool grew = false;
    auto placement = allocate_growing(size_bytes, alignment_bytes, shrink, grew);
    if (grew) ask_background();
    return placement;
}

Result<Placement> Bucket::allocate_growing(std::uint64_t size_bytes, std::uint64_t alignment_bytes,
                                           std::uint64_t shrink, bool& grew) {
    const std::lock_guard lock(mutex_);
    const std::uint64_t size = rounded_size(size_bytes);
    const std::uint64_t alignment = std::max(alignment_bytes, options_.smallest_alignment_bytes);
    if (auto placement = allocate_locked(size, alignment)) return *placement;

    const std::uint64_t unit = unit_bytes();
    const auto needed = checked_align_up(size, unit);
    if (!needed || *needed > options_.largest_chunk_bytes || !ChunkSpace::can_hold(policy_, size, alignment)) {
        return fail(
            Error{.code = ErrorCode::kOutOfRange,
                  .message = fmt::format("no chunk of the bucket can hold the request at alignment {}", alignment),
                  .where = "bucket " + policy_.id,
                  .value = size_bytes,
                  .limit = options_.largest_chunk_bytes});
    }
    HEAPWRIGHT_ASSIGN(const std::uint32_t slot,
                      add_chunk(std::max(align_down(grown_chunk_bytes(held_bytes_) / shrink, unit), *needed), *needed));
    grew = true;
    auto placement = allocate_from(slot, size, alignment);
    if (!placement) {
        retire(slot);
        return broken(policy_, fmt::format("an empty chunk did not hold {} bytes at alignment {}", size, alignment));
    }
    return *placement;
}

Result<Placement> Bucket::allocate_at(std::uint32_t chunk, std::uint64_t offset_bytes, std::uint64_t size_bytes) {
    const std::lock_guard lock(mutex_);
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

Status Bucket::free(const Placement& placement) {
    bool shrank = false;
    Status freed = free_range(placement, shrank);
    if (shrank) ask_background();
    return freed;
}

Status Bucket::free_range(const Placement& placement, bool& shrank) {
    const std::lock_guard lock(mutex_);
    if (placement.chunk >= slots_.size() || !slots_[placement.chunk] ||
        slots_[placement.chunk]->heap != placement.heap) {
        return broken(policy_, fmt::format("slot {} holds no chunk with that heap", placement.chunk));
    }
    Chunk& chunk = *slots_[placement.chunk];
    const suballoc::FreeOutcome outcome = chunk.space.free(placement.handle);
    if (outcome == suballoc::FreeOutcome::kInvalidHandle) {
        return broken(policy_, fmt::format("the placement at offset {} is not live: {}", placement.offset_bytes,
                                           suballoc::to_string(outcome)));
    }
    fullest_first_.set_free_bytes(placement.chunk, chunk.space.free_bytes());
    if (!chunk.space.is_empty()) return {};
    note_empty(placement.chunk);
    shrank = retire_if_surplus(placement.chunk);
    return {};
}

bool Bucket::retire_if_surplus(std::uint32_t slot) {
    Chunk& chunk = *slots_[slot];
    chunk.empty_since = epoch_;
    chunk.is_kept_empty = heaps_.keep_empty(memory_type(), chunk.size_bytes, options_.kept_empty_bytes);
    if (chunk.is_kept_empty) return false;
    retire(slot);
    return true;
}

ChunkReserve::Chunk Bucket::remove_chunk(std::uint32_t slot) {
    end_keeping(*slots_[slot]);
    const ChunkReserve::Chunk chunk{.heap = slots_[slot]->heap, .size_bytes = slots_[slot]->size_bytes};
    held_bytes_ -= chunk.size_bytes;
    if (slots_[slot]->space.is_empty()) note_filled(slot);
    fullest_first_.remove(slot);
    slots_[slot].reset();
    vacant_slots_.push_back(slot);
    return chunk;
}

void Bucket::retire(std::uint32_t slot) {
    const ChunkReserve::Chunk chunk = remove_chunk(slot);
    if (works_in_background())
        reserve_.put_away(chunk);
    else
        heaps_.give_back(chunk.heap, memory_type(), chunk.size_bytes);
}

std::uint64_t Bucket::trim() {
    std::uint64_t given_back = give_back_prepared();
    const std::lock_guard lock(mutex_);
    for (std::uint32_t slot = 0; slot < slots_.size(); ++slot) {
        if (!slots_[slot] || !slots_[slot]->space.is_empty()) continue;
        const ChunkReserve::Chunk chunk = remove_chunk(slot);
        heaps_.give_back(chunk.heap, memory_type(), chunk.size_bytes);
        given_back += chunk.size_bytes;
    }
    return given_back;
}

void Bucket::end_ring_frames() {
    for (std::uint32_t slot = 0; slot < slots_.size(); ++slot) {
        if (!slots_[slot] || slots_[slot]->space.is_empty()) continue;
        slots_[slot]->space.end_frame();
        fullest_first_.set_free_bytes(slot, slots_[slot]->space.free_bytes());
    }
}

void Bucket::age() {
    {
        const std::lock_guard lock(mutex_);
        ++epoch_;
        for (std::size_t i = 0; i < empty_slots_.size();) {
            const std::uint32_t slot = empty_slots_[i];
            const std::uint64_t age =
                empty_slots_.size() > 1 ? options_.empty_chunk_age / kSurplusAgeParts : options_.empty_chunk_age;
            if (epoch_ - slots_[slot]->empty_since > age)
                retire(slot);
            else
                ++i;
        }
        if (policy_.suballocator.value == model::SuballocatorKind::kRing) end_ring_frames();
        if (works_in_background()) reserve_.age(epoch_, grown_chunk_bytes(held_bytes_), options_.empty_chunk_age);
    }
    ask_background();
}

std::vector<Bucket::ChunkRanges> Bucket::layout() const {
    const std::lock_guard lock(mutex_);
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

BucketFigures Bucket::figures() const {
    const std::lock_guard lock(mutex_);
    BucketFigures figures{.id = policy_.id, .memory_type = policy_.memory_type};
    double fragmentation = 0;
    std::uint64_t with_free_bytes = 0;
    for (const ChunkOrder::Entry& entry : fullest_first_.entries()) {
        const Chunk& chunk = *slots_[entry.slot];
        const suballoc::Figures one = chunk.space.figures();
        ++figures.chunks;
        if (chunk.space.is_empty()) ++figures.empty_chunks;
        figures.reserved_bytes += chunk.size_bytes;
        figures.suballocations += one;
        if (one.free != 0) {
            fragmentation += one.external_fragmentation();
            ++with_free_bytes;
        }
    }
    figures.chunks += reserve_.held_count();
    figures.reserved_bytes += reserve_.held_bytes();
    figures.ready_chunks = reserve_.ready_count();
    figures.preparation = reserve_.figures();
    if (with_free_bytes != 0) figures.mean_fragmentation = fragmentation / static_cast<double>(with_free_bytes);
    return figures;
}

std::vector<ChunkFigures> Bucket::chunk_figures(std::size_t cell_count) const {
    const std::lock_guard lock(mutex_);
    std::vector<ChunkFigures> all;
    for (const std::optional<Chunk>& chunk : slots_) {
        if (!chunk) continue;
        all.push_back({.size_bytes = chunk->size_bytes,
                       .suballocations = chunk->space.figures(),
                       .used_shares = chunk->space.occupancy_map(cell_count)});
    }
    return all;
}

Status Bucket::validate_invariants() const {
    const std::lock_guard lock(mutex_);
    std::size_t chunks = 0;
    std::size_t empty = 0;
    std::uint64_t held = 0;
    for (std::uint32_t slot = 0; slot < slots_.size(); ++slot) {
        if (!slots_[slot]) continue;
        ++chunks;
        const Chunk& chunk = *slots_[slot];
        HEAPWRIGHT_TRY(chunk.space.validate_invariants());
        if (chunk.space.capacity_bytes() > chunk.size_bytes) {
            return broken(policy_, fmt::format("slot {} divides {} bytes of a chunk of {}", slot,
                                               chunk.space.capacity_bytes(), chunk.size_bytes));
        }
        if (!fullest_first_.is_at_its_place(slot))
            return broken(policy_, fmt::format("slot {} is not listed where its place says", slot));
        held += chunk.size_bytes;
        empty += chunk.space.is_empty() ? 1u : 0u;
    }
    if (held != held_bytes_) return broken(policy_, fmt::format("holds {} bytes, counts {}", held, held_bytes_));
    if (chunks != fullest_first_.size())
        return broken(policy_, fmt::format("{} chunks, {} listed", chunks, fullest_first_.size()));
    for (const ChunkOrder::Entry& entry : fullest_first_.entries()) {
        const std::uint64_t free = slots_[entry.slot]->space.free_bytes();
        if (free == entry.free_bytes) continue;
        return broken(policy_, fmt::format("slot {} has {} free bytes and is listed with {}", entry.slot, free,
                                           entry.free_bytes));
    }
    if (!std::ranges::is_sorted(fullest_first_.entries(), {}, &ChunkOrder::Entry::free_bytes))
        return broken(policy_, "the chunks are not in order of free bytes");
    const auto is_empty = [&](std::uint32_t slot) { return slots_[slot] && slots_[slot]->space.is_empty(); };
    if (empty_slots_.size() != empty || !std::ranges::all_of(empty_slots_, is_empty) ||
        !std::ranges::is_sorted(empty_slots_))
        return broken(policy_, fmt::format("{} chunks are empty, {} are listed as such", empty, empty_slots_.size()));
    return {};
}

}  // namespace heapwright::pool
