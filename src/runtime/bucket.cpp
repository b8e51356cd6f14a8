#include "heapwright/runtime/bucket.hpp"

#include <algorithm>
#include <utility>

#include <fmt/format.h>

#include "heapwright/core/checked.hpp"

namespace heapwright::runtime {
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

// Only one chunk's free bytes change at a time, so moving it to its place keeps the whole order.
void Bucket::restore_order(std::size_t position) {
    const std::uint64_t free_here = free_bytes(fullest_first_[position]);
    while (position > 0 && free_bytes(fullest_first_[position - 1]) > free_here) {
        std::swap(fullest_first_[position - 1], fullest_first_[position]);
        --position;
    }
    while (position + 1 < fullest_first_.size() && free_bytes(fullest_first_[position + 1]) < free_here) {
        std::swap(fullest_first_[position + 1], fullest_first_[position]);
        ++position;
    }
}

void Bucket::restore_order_of(std::uint32_t slot) {
    restore_order(static_cast<std::size_t>(std::ranges::find(fullest_first_, slot) - fullest_first_.begin()));
}

void Bucket::end_keeping(Chunk& chunk) {
    if (!chunk.is_kept_empty) return;
    chunk.is_kept_empty = false;
    heaps_.end_keeping(memory_type(), chunk.size_bytes);
}

Placement Bucket::placement_in(std::uint32_t slot, const suballoc::Suballocation& range) {
    Chunk& chunk = *slots_[slot];
    end_keeping(chunk);
    chunk.free_bytes = chunk.space.free_bytes();
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

// The best fit of all chunks; of equal ones the fullest.
std::optional<Placement> Bucket::allocate_tightest(std::size_t first, std::uint64_t size_bytes,
                                                   std::uint64_t alignment_bytes) {
    std::size_t tightest = fullest_first_.size();
    std::uint64_t smallest = ~0ull;
    for (std::size_t i = first; i < fullest_first_.size(); ++i) {
        const std::uint64_t range = slots_[fullest_first_[i]]->space.fit_bytes(size_bytes, alignment_bytes);
        if (range == 0 || range >= smallest) continue;
        smallest = range;
        tightest = i;
    }
    if (tightest == fullest_first_.size()) return std::nullopt;
    auto placement = allocate_from(fullest_first_[tightest], size_bytes, alignment_bytes);
    if (placement) restore_order(tightest);
    return placement;
}

std::optional<Placement> Bucket::allocate_locked(std::uint64_t size_bytes, std::uint64_t alignment_bytes) {
    const auto first = std::partition_point(fullest_first_.begin(), fullest_first_.end(),
                                            [&](std::uint32_t slot) { return free_bytes(slot) < size_bytes; });
    if (policy_.chunk_choice.value == model::ChunkChoice::kTightest) {
        const auto position = static_cast<std::size_t>(first - fullest_first_.begin());
        if (auto placement = allocate_tightest(position, size_bytes, alignment_bytes)) return placement;
    }
    // The fullest chunk that has room: the emptier ones drain and can be given back.
    for (auto it = first; it != fullest_first_.end(); ++it) {
        if (auto placement = allocate_from(*it, size_bytes, alignment_bytes)) {
            restore_order(static_cast<std::size_t>(it - fullest_first_.begin()));
            return placement;
        }
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
    slots_[slot].emplace(Chunk{.heap = heap, .size_bytes = size_bytes, .space = std::move(*space), .free_bytes = free});
    held_bytes_ += size_bytes;
    fullest_first_.push_back(slot);
    restore_order(fullest_first_.size() - 1);
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
    restore_order_of(slot);
    return *placement;
}

Result<Placement> Bucket::allocate_at(std::uint32_t chunk, std::uint64_t offset_bytes, std::uint64_t size_bytes) {
    const std::lock_guard lock(mutex_);
    if (chunk < slots_.size() && slots_[chunk]) {
        if (const auto range = slots_[chunk]->space.allocate_at(offset_bytes, size_bytes)) {
            const Placement placement = placement_in(chunk, *range);
            restore_order_of(chunk);
            return placement;
        }
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
    chunk.free_bytes = chunk.space.free_bytes();
    restore_order_of(placement.chunk);
    if (chunk.space.is_empty()) shrank = retire_if_surplus(placement.chunk);
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
    std::erase(fullest_first_, slot);
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

void Bucket::age() {
    {
        const std::lock_guard lock(mutex_);
        ++epoch_;
        auto empty =
            std::ranges::count_if(fullest_first_, [&](std::uint32_t slot) { return slots_[slot]->space.is_empty(); });
        for (std::uint32_t slot = 0; slot < slots_.size(); ++slot) {
            if (!slots_[slot]) continue;
            Chunk& chunk = *slots_[slot];
            if (chunk.space.is_empty()) {
                const std::uint64_t age =
                    empty > 1 ? options_.empty_chunk_age / kSurplusAgeParts : options_.empty_chunk_age;
                if (epoch_ - chunk.empty_since <= age) continue;
                retire(slot);
                --empty;
                continue;
            }
            if (policy_.suballocator.value != model::SuballocatorKind::kRing) continue;
            chunk.space.end_frame();
            chunk.free_bytes = chunk.space.free_bytes();
            restore_order_of(slot);
        }
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
    for (const std::uint32_t slot : fullest_first_) {
        const Chunk& chunk = *slots_[slot];
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
        if (chunk.space.free_bytes() != chunk.free_bytes) {
            return broken(policy_, fmt::format("slot {} has {} free bytes and is listed with {}", slot,
                                               chunk.space.free_bytes(), chunk.free_bytes));
        }
        held += chunk.size_bytes;
        if (std::ranges::count(fullest_first_, slot) != 1)
            return broken(policy_, fmt::format("slot {} is not listed exactly once", slot));
    }
    if (held != held_bytes_) return broken(policy_, fmt::format("holds {} bytes, counts {}", held, held_bytes_));
    if (chunks != fullest_first_.size())
        return broken(policy_, fmt::format("{} chunks, {} listed", chunks, fullest_first_.size()));
    if (!std::ranges::is_sorted(fullest_first_, {}, [&](std::uint32_t slot) { return free_bytes(slot); }))
        return broken(policy_, "the chunks are not in order of free bytes");
    return {};
}

}  // namespace heapwright::runtime
