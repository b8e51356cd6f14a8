#include "contract/feasibility.hpp"

#include <algorithm>
#include <limits>

#include "core/checked.hpp"

namespace heapwright::contract {
namespace {

constexpr std::uint64_t kNoCap = std::numeric_limits<std::uint64_t>::max();

std::uint64_t capped(const ChunkWish& wish, std::uint64_t cap) {
    if (wish.wanted_bytes <= cap) return wish.wanted_bytes;
    return std::max(wish.smallest_bytes, cap / wish.unit_bytes * wish.unit_bytes);
}

std::uint64_t total_under(std::span<const ChunkWish> wishes, std::uint64_t cap) {
    std::uint64_t sum = 0;
    for (const ChunkWish& wish : wishes)
        sum = checked_add(sum, std::max(capped(wish, cap), wish.resource_bytes)).value_or(kNoCap);
    return sum;
}

// The largest cap under which one chunk each fits; 0 when none does.
std::uint64_t largest_fitting_cap(std::span<const ChunkWish> wishes, std::uint64_t usable) {
    if (total_under(wishes, kNoCap) <= usable) return kNoCap;
    std::uint64_t fits = 0;
    std::uint64_t too_much = kNoCap;
    while (too_much - fits > 1) {
        const std::uint64_t middle = fits + (too_much - fits) / 2;
        (total_under(wishes, middle) <= usable ? fits : too_much) = middle;
    }
    return fits;
}

}  // namespace

OneChunkEach fit_one_chunk_each(const model::HeapPolicy& heap, std::span<const ChunkWish> wishes) {
    const std::uint64_t usable = heap.usable_bytes.value;
    const std::uint64_t cap = largest_fitting_cap(wishes, usable);
    const std::uint64_t total = total_under(wishes, cap);
    OneChunkEach each{.wanted_total_bytes = total_under(wishes, kNoCap),
                      .proof = {.heap = heap.heap,
                                .buckets = static_cast<std::uint32_t>(wishes.size()),
                                .one_chunk_each_bytes = total,
                                .usable_bytes = usable,
                                .fits = total <= usable}};
    for (const ChunkWish& wish : wishes) each.chunk_bytes.push_back(capped(wish, cap));
    return each;
}

RoomAhead::RoomAhead(const model::HeapPolicy& heap, std::span<const model::HeapFeasibility> proofs) {
    const auto proof = std::ranges::find(proofs, heap.heap, &model::HeapFeasibility::heap);
    const std::uint64_t usable = heap.usable_bytes.value;
    const std::uint64_t others = proof == proofs.end() ? 0 : proof->one_chunk_each_bytes;
    bytes_ = std::min(usable / kAheadParts, usable - std::min(usable, others));
}

}  // namespace heapwright::contract
