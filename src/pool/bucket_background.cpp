// What a bucket has done in the background: chunks allocated and touched ahead of need, and empty ones given back.
// One item at a time a bucket; it makes one call of the device and asks for the next item when there is more to do.
#include <utility>

#include "contract/chunk_growth.hpp"
#include "core/checked.hpp"
#include "pool/bucket.hpp"

namespace heapwright::pool {

bool Bucket::needs_background() const {
    return reserve_.has_leaving() || (reserve_.wants_more(chunks_.collections()) && prepared_chunk_bytes() != 0);
}

// As large as the next chunk will be once the ready ones are in use.
std::uint64_t Bucket::prepared_chunk_bytes() const {
    return align_down(chunks_.next_chunk_bytes(reserve_.ready_bytes()), contract::chunk_unit_bytes(policy()));
}

void Bucket::ask_background() {
    if (!works_in_background()) return;
    {
        const std::lock_guard lock(mutex_);
        if (!needs_background()) return;
    }
    if (asked_->exchange(true)) return;
    const auto callback = [back = back_, asked = asked_] {
        back.with_alive([&](Bucket& bucket) {
            bucket.work_in_background();
            asked->store(false);
            bucket.ask_background();
        });
    };
    const auto cancel = [asked = asked_] { asked->store(false); };
    if (options_.background({.callback = callback, .cancel = cancel})) return;
    // Background work is disabled: what was to go back goes here, and nothing is prepared. Whoever pauses the
    // background to count must not find a chunk that is on its way.
    const std::lock_guard one_at_a_time(background_mutex_);
    std::vector<ChunkReserve::Chunk> leaving;
    {
        const std::lock_guard lock(mutex_);
        while (const auto chunk = reserve_.take_leaving()) leaving.push_back(*chunk);
    }
    give_to_device(leaving);
}

void Bucket::work_in_background() {
    const std::lock_guard one_at_a_time(background_mutex_);
    std::optional<ChunkReserve::Chunk> leaving;
    std::uint64_t wanted_bytes = 0;
    {
        const std::lock_guard lock(mutex_);
        leaving = reserve_.take_leaving();
        if (!leaving && reserve_.wants_more(chunks_.collections())) wanted_bytes = prepared_chunk_bytes();
    }
    if (leaving)
        heaps_.give_back(leaving->heap, memory_type(), leaving->size_bytes);
    else if (wanted_bytes != 0)
        prepare_chunk(wanted_bytes);
}

void Bucket::prepare_chunk(std::uint64_t size_bytes) {
    const auto heap = heaps_.take(heap_request(size_bytes));
    if (!heap) {
        // Nobody waits for it: a request that needs a chunk asks the device itself and gets the error then.
        const std::lock_guard lock(mutex_);
        reserve_.note_failure(chunks_.collections());
        return;
    }
    if (options_.touches) heaps_.touch(*heap);
    const std::lock_guard lock(mutex_);
    const ChunkReserve::Chunk chunk{.heap = *heap, .size_bytes = size_bytes, .fitting_at = chunks_.collections()};
    if (reserve_.wants_more(chunks_.collections()))
        reserve_.add(chunk);
    else
        reserve_.give_up(chunk);
}

std::uint64_t Bucket::give_back_prepared() {
    if (!works_in_background()) return 0;
    const std::lock_guard nothing_under_way(background_mutex_);
    std::vector<ChunkReserve::Chunk> chunks;
    {
        const std::lock_guard lock(mutex_);
        chunks = reserve_.take_all(chunks_.collections());
    }
    std::uint64_t given_back = 0;
    for (const ChunkReserve::Chunk& chunk : chunks) {
        heaps_.give_back(chunk.heap, memory_type(), chunk.size_bytes);
        given_back += chunk.size_bytes;
    }
    return given_back;
}

}  // namespace heapwright::pool
