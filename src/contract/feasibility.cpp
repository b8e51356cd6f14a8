#include "contract/feasibility.hpp"

#include <algorithm>
#include <cmath>
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

namespace {

constexpr std::uint64_t kMillion = 1'000'000;

// In millionths, so that the arithmetic on 64-bit sizes stays exact.
std::uint64_t share_in_millionths(double share) {
    if (!(share > 0)) return 0;
    return share >= 1 ? kMillion : static_cast<std::uint64_t>(std::llround(share * 1e6));
}

}  // namespace

std::optional<std::uint64_t> known_budget(std::uint64_t reported_bytes) {
    return reported_bytes == 0 ? std::nullopt : std::optional(reported_bytes);
}

std::optional<std::uint64_t> known_budget(const model::DeviceReport& device, std::size_t heap) {
    const auto& budgets = device.run.heap_budgets;
    return heap < budgets.size() ? known_budget(budgets[heap].budget_bytes) : std::nullopt;
}

std::uint64_t usable_budget(std::uint64_t heap_bytes, std::optional<std::uint64_t> budget_bytes,
                            std::uint64_t used_bytes) {
    const std::uint64_t budget = std::min(heap_bytes, known_budget(budget_bytes.value_or(0)).value_or(heap_bytes));
    return budget - std::min(budget, used_bytes);
}

std::uint64_t usable_budget(const model::DeviceReport& device, std::size_t heap) {
    if (heap >= device.heaps.size()) return 0;
    return usable_budget(device.heaps[heap].size_bytes, known_budget(device, heap));
}

std::uint64_t without_share(std::uint64_t bytes, double share) {
    const std::uint64_t millionths = share_in_millionths(share);
    return bytes - (bytes / kMillion * millionths + bytes % kMillion * millionths / kMillion);
}

}  // namespace heapwright::contract
