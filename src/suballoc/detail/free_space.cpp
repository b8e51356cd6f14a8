#include "suballoc/detail/free_space.hpp"

#include <algorithm>

#include <fmt/format.h>

#include "core/checked.hpp"

namespace heapwright::suballoc::detail {

Result<FreeSpace> FreeSpace::create(const std::vector<ChunkLayout>& layout) {
    FreeSpace space;
    space.chunks_.resize(layout.size());
    std::vector<const MovableSuballocation*> order;
    for (std::size_t index = 0; index < layout.size(); ++index) {
        const auto broken = [&](const MovableSuballocation& at, std::string_view what) {
            return fail(ErrorCode::kInvalidArgument,
                        fmt::format("suballocation {} at {} of chunk {} {}", at.id, at.offset, index, what));
        };
        const std::uint64_t capacity = layout[index].capacity;
        order.clear();
        for (const MovableSuballocation& suballocation : layout[index].suballocations) order.push_back(&suballocation);
        std::sort(order.begin(), order.end(), [](const auto* a, const auto* b) { return a->offset < b->offset; });
        Chunk& chunk = space.chunks_[index];
        const auto add = [&](std::uint64_t begin, std::uint64_t end) {
            if (begin == end) return;
            chunk.ranges.push_back({begin, end});
            chunk.free += end - begin;
        };
        std::uint64_t end = 0;
        for (const MovableSuballocation* suballocation : order) {
            if (suballocation->size == 0) return broken(*suballocation, "has a size of 0");
            if (!is_power_of_two(suballocation->alignment) || suballocation->offset % suballocation->alignment != 0)
                return broken(*suballocation, "is not at a multiple of a power-of-two alignment");
            if (suballocation->offset < end) return broken(*suballocation, "overlaps the one before it");
            if (suballocation->size > capacity || suballocation->offset > capacity - suballocation->size)
                return broken(*suballocation, "leaves its chunk");
            add(end, suballocation->offset);
            end = suballocation->offset + suballocation->size;
        }
        add(end, capacity);
    }
    return space;
}

std::optional<Place> FreeSpace::first_fit(std::size_t chunk, std::uint64_t size, std::uint64_t alignment) const {
    for (const FreeRange& range : chunks_[chunk].ranges) {
        const std::uint64_t offset = align_up(range.begin, alignment);
        if (offset < range.end && range.end - offset >= size) return Place{chunk, offset};
    }
    return std::nullopt;
}

std::optional<Place> FreeSpace::last_fit(std::uint64_t size, std::uint64_t alignment, std::size_t kept_chunk,
                                         const FreeRange& kept_free) const {
    const auto fit_in = [&](std::uint64_t begin, std::uint64_t end) -> std::optional<std::uint64_t> {
        if (end <= begin || end - begin < size) return std::nullopt;
        const std::uint64_t offset = align_down(end - size, alignment);
        return offset >= begin ? std::optional(offset) : std::nullopt;
    };
    for (std::size_t chunk = chunks_.size(); chunk-- > 0;) {
        const auto& ranges = chunks_[chunk].ranges;
        for (std::size_t index = ranges.size(); index-- > 0;) {
            const FreeRange range = ranges[index];
            if (chunk != kept_chunk || range.end <= kept_free.begin || range.begin >= kept_free.end) {
                if (const auto offset = fit_in(range.begin, range.end)) return Place{chunk, *offset};
                continue;
            }
            if (const auto offset = fit_in(kept_free.end, range.end)) return Place{chunk, *offset};
            if (const auto offset = fit_in(range.begin, kept_free.begin)) return Place{chunk, *offset};
        }
    }
    return std::nullopt;
}

bool FreeSpace::is_free(std::size_t chunk, const FreeRange& range) const {
    const auto& ranges = chunks_[chunk].ranges;
    const auto after = std::upper_bound(ranges.begin(), ranges.end(), range.begin,
                                        [](std::uint64_t begin, const FreeRange& at) { return begin < at.begin; });
    return after != ranges.begin() && std::prev(after)->end >= range.end;
}

void FreeSpace::take(std::size_t chunk, const FreeRange& range) {
    auto& ranges = chunks_[chunk].ranges;
    auto at = std::prev(std::upper_bound(ranges.begin(), ranges.end(), range.begin,
                                         [](std::uint64_t begin, const FreeRange& r) { return begin < r.begin; }));
    const FreeRange whole = *at;
    at = ranges.erase(at);
    if (range.end < whole.end) at = ranges.insert(at, {range.end, whole.end});
    if (whole.begin < range.begin) ranges.insert(at, {whole.begin, range.begin});
    chunks_[chunk].free -= range.end - range.begin;
}

}  // namespace heapwright::suballoc::detail
