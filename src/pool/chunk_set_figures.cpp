// What a set of chunks tells of itself: its layout, its figures, and whether its books agree.
#include <algorithm>
#include <utility>

#include <fmt/format.h>

#include "pool/chunk_set.hpp"

namespace heapwright::pool {

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

}  // namespace heapwright::pool
