#include "validate/chunk_map.hpp"

#include <algorithm>
#include <cmath>
#include <functional>
#include <string>
#include <utility>
#include <vector>

#include "pool/memory_pool.hpp"

namespace heapwright::validate {
namespace {

std::vector<std::uint64_t> up_to_largest(const suballoc::ContiguityHistogram& histogram) {
    const auto last =
        std::find_if(histogram.rbegin(), histogram.rend(), [](std::uint64_t count) { return count != 0; });
    return {histogram.begin(), last.base()};
}

model::MappedChunk mapped(std::string pool, const pool::ChunkFigures& chunk) {
    const suballoc::Figures& figures = chunk.suballocations;
    model::MappedChunk one{.pool = std::move(pool),
                           .size_bytes = chunk.size_bytes,
                           .used_bytes = figures.used,
                           .free_bytes = figures.free,
                           .largest_free_bytes = figures.largest_free_range,
                           .free_ranges = figures.free_range_count,
                           .suballocations = figures.suballocation_count,
                           .internal_waste_bytes = figures.internal_waste,
                           .fragmentation = figures.external_fragmentation(),
                           .free_ranges_by_size = up_to_largest(figures.free_ranges_by_size)};
    for (const double share : chunk.used_shares) one.used_percent.push_back(percent_of(share));
    return one;
}

}  // namespace

std::uint32_t percent_of(double share) {
    if (share <= 0.0) return 0;
    if (share >= 1.0) return 100;
    return static_cast<std::uint32_t>(std::clamp(std::lround(share * 100.0), 1l, 99l));
}

void bound(model::ChunkMap& map) {
    if (map.chunks.size() <= model::kMaxMappedChunks) return;
    std::vector<std::uint64_t> free;
    for (const model::MappedChunk& chunk : map.chunks) free.push_back(chunk.free_bytes);
    const auto last = free.begin() + (model::kMaxMappedChunks - 1);
    std::ranges::nth_element(free, last, std::greater{});
    // Of those with as many free bytes as the last that is kept, the first ones.
    const std::uint64_t least = *last;
    auto equal = static_cast<std::size_t>(std::count(free.begin(), last + 1, least));
    map.chunks_left_out = map.chunks.size() - model::kMaxMappedChunks;
    std::erase_if(map.chunks, [&](const model::MappedChunk& chunk) {
        if (chunk.free_bytes != least) return chunk.free_bytes < least;
        if (equal == 0) return true;
        --equal;
        return false;
    });
}

model::ChunkMap chunk_map_of(const pool::MemoryPool& pool) {
    model::ChunkMap map;
    for (std::size_t bucket = 0; bucket < pool.bucket_count(); ++bucket) {
        for (const pool::ChunkFigures& chunk : pool.bucket(bucket).chunk_figures(model::kMaxMapCells))
            map.chunks.push_back(mapped(pool.bucket(bucket).policy().id, chunk));
    }
    bound(map);
    return map;
}

}  // namespace heapwright::validate
