#include "pool/bucket.hpp"

#include <new>
#include <utility>

#include "contract/chunks.hpp"
#include "core/checked.hpp"
#include "core/rollback.hpp"

namespace heapwright::pool {

Bucket::Bucket(const model::BucketPolicy& policy, BudgetedMemory& memory, const Options& options)
    : memory_(memory),
      options_(options),
      chunks_(policy, *this, options.chunks),
      reserve_(options.background && policy.chunks_ahead ? policy.chunks_ahead->value : 0),
      anchor_(std::make_unique<device::Anchor<Bucket>>(*this)),
      back_(anchor_->back_pointer()) {}

Bucket::~Bucket() {
    anchor_.reset();
    while (const auto chunk = reserve_.take_any(chunks_.collections()))
        memory_.give_back(chunk->memory, memory_type(), chunk->size_bytes);
    chunks_.for_each_piece([this](const Piece& piece) { give_to_device(piece); });
}

template <class Work>
auto Bucket::locked(Work work) -> decltype(work()) {
    std::unique_lock lock(mutex_);
    auto outcome = work();
    const bool came_or_went = std::exchange(chunks_came_or_went_, false);
    lock.unlock();
    if (came_or_went) ask_background();
    return outcome;
}

device::AllocationRequest Bucket::chunk_request(std::uint64_t size_bytes) const {
    return {.memory_type = memory_type(),
            .size_bytes = size_bytes,
            .priority = options_.priority,
            .device_address = options_.device_address};
}

Result<ChunkMemory::Piece> Bucket::take(std::uint64_t size_bytes, std::uint64_t needed_bytes) {
    if (const auto ready = reserve_.take(needed_bytes)) {
        chunks_came_or_went_ = true;
        return Piece{.memory = ready->memory, .size_bytes = ready->size_bytes};
    }
    HEAPWRIGHT_ASSIGN(const device::AllocationId memory, memory_.take(chunk_request(size_bytes)));
    chunks_came_or_went_ = true;
    return Piece{.memory = memory, .size_bytes = size_bytes};
}

void Bucket::give_back(const Piece& piece) {
    chunks_came_or_went_ = true;
    if (works_in_background() && reserve_.put_away({.memory = piece.memory, .size_bytes = piece.size_bytes})) return;
    give_to_device(piece);
}

bool Bucket::keep_empty(std::uint64_t size_bytes) {
    return memory_.keep_empty(memory_type(), size_bytes, options_.kept_empty_bytes);
}

void Bucket::end_keeping(std::uint64_t size_bytes) {
    memory_.end_keeping(memory_type(), size_bytes);
}

std::optional<Placement> Bucket::allocate_in_place(std::uint64_t size_bytes, std::uint64_t alignment_bytes) {
    const std::lock_guard lock(mutex_);
    return chunks_.allocate_in_place(size_bytes, alignment_bytes);
}

Result<Placement> Bucket::allocate(std::uint64_t size_bytes, std::uint64_t alignment_bytes, std::uint64_t shrink) {
    return locked([&] { return chunks_.allocate(size_bytes, alignment_bytes, shrink); });
}

Result<Placement> Bucket::allocate_at(std::uint32_t chunk, std::uint64_t offset_bytes, std::uint64_t size_bytes) {
    const std::lock_guard lock(mutex_);
    return chunks_.allocate_at(chunk, offset_bytes, size_bytes);
}

Status Bucket::free(std::span<const Placement> placements) {
    return locked([&] {
        Status first_error;
        for (const Placement& placement : placements) {
            Status done = chunks_.free(placement);
            if (!done && first_error) first_error = std::move(done);
        }
        return first_error;
    });
}

std::uint64_t Bucket::trim() {
    std::uint64_t given_back = give_back_prepared();
    const std::lock_guard lock(mutex_);
    chunks_.remove_empty([&](const Piece& piece) {
        give_to_device(piece);
        given_back += piece.size_bytes;
    });
    return given_back;
}

void Bucket::age() {
    {
        const std::lock_guard lock(mutex_);
        chunks_.age();
        if (works_in_background())
            reserve_.age(chunks_.collections(), options_.chunks.empty_chunk_age,
                         [this](std::uint64_t ready_bytes) { return chunks_.next_chunk_bytes(ready_bytes); });
        chunks_came_or_went_ = false;
    }
    ask_background();
}

std::uint64_t Bucket::next_chunk_bytes() const {
    const std::lock_guard lock(mutex_);
    return chunks_.next_chunk_bytes();
}

std::vector<ChunkSet::ChunkRanges> Bucket::layout() const {
    const std::lock_guard lock(mutex_);
    return chunks_.layout();
}

BucketFigures Bucket::figures() const {
    const std::lock_guard lock(mutex_);
    BucketFigures figures = chunks_.figures();
    figures.chunks += reserve_.held_count();
    figures.reserved_bytes += reserve_.held_bytes();
    figures.ready_chunks = reserve_.ready_count();
    figures.preparation = reserve_.figures();
    return figures;
}

std::vector<ChunkFigures> Bucket::chunk_figures(std::size_t cell_count) const {
    const std::lock_guard lock(mutex_);
    return chunks_.chunk_figures(cell_count);
}

Status Bucket::validate_invariants() const {
    const std::lock_guard lock(mutex_);
    return chunks_.validate_invariants();
}

// What a bucket has done in the background: chunks allocated and touched ahead of need, and empty ones given back.
// One item at a time a bucket; it makes one call of the device and asks for the next item when there is more to do.

bool Bucket::needs_background() const {
    return reserve_.has_leaving() || (reserve_.wants_more(chunks_.collections()) && prepared_chunk_bytes() != 0);
}

// As large as the next chunk will be once the ready ones are in use.
std::uint64_t Bucket::prepared_chunk_bytes() const {
    return align_down(chunks_.next_chunk_bytes(reserve_.ready_bytes()), contract::chunk_unit_bytes(policy()));
}

void Bucket::ask_background() try {
    if (!works_in_background()) return;
    {
        const std::lock_guard lock(mutex_);
        if (!needs_background()) return;
    }
    if (asked_->exchange(true)) return;
    Rollback asks([this] { asked_->store(false); });
    const auto callback = [back = back_, asked = asked_] {
        back.with_alive([&](Bucket& bucket) {
            bucket.work_in_background();
            asked->store(false);
            bucket.ask_background();
        });
    };
    const auto cancel = [asked = asked_] { asked->store(false); };
    const bool taken = options_.background({.callback = callback, .cancel = cancel});
    asks.keep();
    if (taken) return;
    // Background work is disabled: what was to go back goes here, and nothing is prepared. Whoever pauses the
    // background to count must not find a chunk that is on its way.
    const std::lock_guard one_at_a_time(background_mutex_);
    while (true) {
        std::unique_lock lock(mutex_);
        const auto leaving = reserve_.take_leaving();
        lock.unlock();
        if (!leaving) return;
        memory_.give_back(leaving->memory, memory_type(), leaving->size_bytes);
    }
} catch (const std::bad_alloc&) {
    // What there is to do can wait until somebody asks again.
}

void Bucket::work_in_background() try {
    const std::lock_guard one_at_a_time(background_mutex_);
    std::optional<ChunkReserve::Chunk> leaving;
    std::uint64_t wanted_bytes = 0;
    {
        const std::lock_guard lock(mutex_);
        leaving = reserve_.take_leaving();
        if (!leaving && reserve_.wants_more(chunks_.collections())) wanted_bytes = prepared_chunk_bytes();
    }
    if (leaving)
        memory_.give_back(leaving->memory, memory_type(), leaving->size_bytes);
    else if (wanted_bytes != 0)
        prepare_chunk(wanted_bytes);
} catch (const std::bad_alloc&) {
    const std::lock_guard lock(mutex_);
    reserve_.note_failure(chunks_.collections());
}

void Bucket::prepare_chunk(std::uint64_t size_bytes) {
    const auto memory = memory_.take(chunk_request(size_bytes));
    if (!memory) {
        // Nobody waits for it: a request that needs a chunk asks the device itself and gets the error then.
        const std::lock_guard lock(mutex_);
        reserve_.note_failure(chunks_.collections());
        return;
    }
    Rollback taken([&] { memory_.give_back(*memory, memory_type(), size_bytes); });
    if (options_.touches) memory_.touch(*memory);
    const std::lock_guard lock(mutex_);
    const ChunkReserve::Chunk chunk{.memory = *memory, .size_bytes = size_bytes, .fitting_at = chunks_.collections()};
    if (reserve_.wants_more(chunks_.collections()))
        reserve_.add(chunk);
    else if (!reserve_.give_up(chunk))
        return;
    taken.keep();
}

std::uint64_t Bucket::give_back_prepared() {
    if (!works_in_background()) return 0;
    const std::lock_guard nothing_under_way(background_mutex_);
    std::uint64_t given_back = 0;
    while (true) {
        std::unique_lock lock(mutex_);
        const auto chunk = reserve_.take_any(chunks_.collections());
        lock.unlock();
        if (!chunk) return given_back;
        memory_.give_back(chunk->memory, memory_type(), chunk->size_bytes);
        given_back += chunk->size_bytes;
    }
}

}  // namespace heapwright::pool
