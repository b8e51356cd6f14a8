#include "heapwright/suballoc/defragmentation.hpp"

#include <algorithm>
#include <optional>
#include <set>
#include <utility>

#include "suballoc/detail/free_space.hpp"

namespace heapwright::suballoc {

using detail::FreeRange;
using detail::FreeSpace;
using detail::Place;

namespace {

// A suballocation that may move, where it is, and in what order the strategy looks at it.
struct Item {
    const MovableSuballocation* suballocation;
    std::size_t chunk;
};

bool is_larger(const Item& a, const Item& b) {
    if (a.suballocation->size != b.suballocation->size) return a.suballocation->size > b.suballocation->size;
    if (a.suballocation->alignment != b.suballocation->alignment)
        return a.suballocation->alignment > b.suballocation->alignment;
    return a.suballocation->id < b.suballocation->id;
}

// Collects the moves of a step and refuses those beyond its limits.
class StepBuilder {
public:
    explicit StepBuilder(const DefragmentationLimits& limits) : limits_(limits) {}

    [[nodiscard]] bool admits(std::uint64_t size) const {
        return step_.moves.size() < limits_.moves && size <= limits_.bytes - step_.moved_bytes;
    }
    void add(const Item& item, const Place& place) {
        step_.moves.push_back({.id = item.suballocation->id,
                               .size = item.suballocation->size,
                               .from_chunk = item.chunk,
                               .from_offset = item.suballocation->offset,
                               .to_chunk = place.chunk,
                               .to_offset = place.offset});
        step_.moved_bytes += item.suballocation->size;
    }
    [[nodiscard]] DefragmentationStep& step() { return step_; }

private:
    DefragmentationLimits limits_;
    DefragmentationStep step_;
};

FreeRange range_at(std::uint64_t offset, std::uint64_t size) {
    return {offset, offset + size};
}

// Cheapest chunk first. A chunk is begun only if the others can take all of it, so that no copy is made in vain; with
// small limits it empties over several steps and stays the cheapest.
void free_chunks(const std::vector<ChunkLayout>& layout, const DefragmentationLimits& limits, FreeSpace space,
                 StepBuilder& builder) {
    std::vector<std::uint64_t> used(layout.size(), 0);
    std::vector<std::size_t> victims;
    for (std::size_t chunk = 0; chunk < layout.size(); ++chunk) {
        bool can_empty = !layout[chunk].suballocations.empty();
        for (const MovableSuballocation& suballocation : layout[chunk].suballocations) {
            used[chunk] += suballocation.size;
            can_empty = can_empty && suballocation.is_movable && suballocation.size <= limits.bytes;
        }
        if (can_empty) victims.push_back(chunk);
    }
    std::stable_sort(victims.begin(), victims.end(), [&](std::size_t a, std::size_t b) { return used[a] < used[b]; });

    // Empty chunks are what the plan wants more of, so nothing moves into them, nor into a chunk that empties.
    std::vector<bool> is_closed(layout.size());
    for (std::size_t chunk = 0; chunk < layout.size(); ++chunk) is_closed[chunk] = used[chunk] == 0;
    std::vector<bool> is_receiver(layout.size());

    for (const std::size_t victim : victims) {
        if (is_receiver[victim]) continue;
        std::vector<Item> items;
        for (const MovableSuballocation& suballocation : layout[victim].suballocations)
            items.push_back({&suballocation, victim});
        std::sort(items.begin(), items.end(), is_larger);

        FreeSpace trial = space;
        std::vector<Place> places;
        for (const Item& item : items) {
            const auto place = trial.best_fit(item.suballocation->size, item.suballocation->alignment,
                                              [&](std::size_t chunk) { return chunk != victim && !is_closed[chunk]; });
            if (!place) break;
            trial.take(place->chunk, range_at(place->offset, item.suballocation->size));
            places.push_back(*place);
        }
        if (places.size() != items.size()) continue;

        space = std::move(trial);
        is_closed[victim] = true;
        for (std::size_t index = 0; index < items.size(); ++index) {
            is_receiver[places[index].chunk] = true;
            // One half-empty chunk at a time: the next step goes on with it.
            if (!builder.admits(items[index].suballocation->size)) return;
            builder.add(items[index], places[index]);
        }
    }
}

// Where each movable suballocation lies when all are packed by falling size around those that cannot move.
std::vector<Place> packed_places(const std::vector<ChunkLayout>& layout, const std::vector<Item>& items,
                                 const DefragmentationLimits& limits) {
    std::vector<ChunkLayout> fixed(layout.size());
    for (std::size_t chunk = 0; chunk < layout.size(); ++chunk) {
        fixed[chunk].capacity = layout[chunk].capacity;
        for (const MovableSuballocation& suballocation : layout[chunk].suballocations)
            if (!suballocation.is_movable || suballocation.size > limits.bytes)
                fixed[chunk].suballocations.push_back(suballocation);
    }
    FreeSpace space = FreeSpace::create(fixed).value();  // a subset of a layout that was checked
    std::vector<Place> places;
    places.reserve(items.size());
    for (const Item& item : items) {
        std::optional<Place> place;
        for (std::size_t chunk = 0; chunk < layout.size() && !place; ++chunk)
            place = space.first_fit(chunk, item.suballocation->size, item.suballocation->alignment);
        // Packing may fail where the present order holds all: then the rest stays, and is in nobody's way.
        if (!place) break;
        space.take(place->chunk, range_at(place->offset, item.suballocation->size));
        places.push_back(*place);
    }
    return places;
}

// In the order of the packed layout: move what finds its place free; where it is taken, move the first taker out of
// the way to the far end. What is settled never moves again, so this ends.
void sort_by_size(const std::vector<ChunkLayout>& layout, const DefragmentationLimits& limits, FreeSpace space,
                  StepBuilder& builder) {
    std::vector<Item> items;
    for (std::size_t chunk = 0; chunk < layout.size(); ++chunk)
        for (const MovableSuballocation& suballocation : layout[chunk].suballocations)
            if (suballocation.is_movable && suballocation.size <= limits.bytes)
                items.push_back({&suballocation, chunk});
    std::sort(items.begin(), items.end(), is_larger);
    const std::vector<Place> places = packed_places(layout, items, limits);

    std::set<std::uint64_t> moved;
    for (std::size_t index = 0; index < places.size(); ++index) {
        const Item& item = items[index];
        const MovableSuballocation& suballocation = *item.suballocation;
        const Place& place = places[index];
        if (item.chunk == place.chunk && suballocation.offset == place.offset) continue;
        const FreeRange target = range_at(place.offset, suballocation.size);
        if (moved.contains(suballocation.id)) return;
        if (space.is_free(place.chunk, target)) {
            if (!builder.admits(suballocation.size)) return;
            space.take(place.chunk, target);
            builder.add(item, place);
            moved.insert(suballocation.id);
            continue;
        }
        // Its place is free only after this step: clear it and end the step, the next one settles it.
        for (const Item& other : items) {
            const MovableSuballocation& taker = *other.suballocation;
            if (other.chunk != place.chunk || taker.offset >= target.end || taker.offset + taker.size <= target.begin ||
                moved.contains(taker.id))
                continue;
            if (!builder.admits(taker.size)) return;
            const auto refuge = space.last_fit(taker.size, taker.alignment, place.chunk, target);
            if (!refuge) return;
            space.take(refuge->chunk, range_at(refuge->offset, taker.size));
            builder.add(other, *refuge);
            moved.insert(taker.id);
        }
        return;
    }
}

}  // namespace

LayoutFigures figures_of(const std::vector<ChunkLayout>& layout) {
    LayoutFigures figures;
    std::vector<std::pair<std::uint64_t, std::uint64_t>> order;
    for (const ChunkLayout& chunk : layout) {
        if (chunk.suballocations.empty()) {
            ++figures.empty_chunk_count;
            figures.empty_chunk_bytes += chunk.capacity;
        }
        order.clear();
        for (const MovableSuballocation& suballocation : chunk.suballocations)
            order.emplace_back(suballocation.offset, suballocation.size);
        order.emplace_back(chunk.capacity, 0);
        std::sort(order.begin(), order.end());
        std::uint64_t end = 0;
        for (const auto& [offset, size] : order) {
            if (offset > end) {
                ++figures.free_range_count;
                figures.largest_free_range = std::max(figures.largest_free_range, offset - end);
            }
            end = offset + size;
            figures.used_bytes += size;
        }
    }
    return figures;
}

std::vector<ChunkLayout> apply_step(const DefragmentationStep& step, std::vector<ChunkLayout> layout) {
    for (const DefragmentationMove& move : step.moves) {
        auto& from = layout[move.from_chunk].suballocations;
        const auto found = std::find_if(from.begin(), from.end(), [&](const MovableSuballocation& suballocation) {
            return suballocation.id == move.id && suballocation.offset == move.from_offset;
        });
        if (found == from.end()) continue;
        MovableSuballocation moved = *found;
        from.erase(found);
        moved.offset = move.to_offset;
        layout[move.to_chunk].suballocations.push_back(moved);
    }
    return layout;
}

Result<DefragmentationStep> plan_defragmentation(const std::vector<ChunkLayout>& layout,
                                                 DefragmentationStrategy strategy,
                                                 const DefragmentationLimits& limits) {
    if (limits.moves == 0 || limits.bytes == 0)
        return fail(ErrorCode::kInvalidArgument, "a defragmentation step that may move nothing never ends");
    std::set<std::uint64_t> ids;
    for (const ChunkLayout& chunk : layout)
        for (const MovableSuballocation& suballocation : chunk.suballocations)
            if (!ids.insert(suballocation.id).second)
                return fail({.code = ErrorCode::kInvalidArgument,
                             .message = "two suballocations of a layout have one id",
                             .value = suballocation.id});
    HEAPWRIGHT_ASSIGN(FreeSpace space, FreeSpace::create(layout));

    StepBuilder builder(limits);
    switch (strategy) {
        case DefragmentationStrategy::kFreeChunks: free_chunks(layout, limits, std::move(space), builder); break;
        case DefragmentationStrategy::kSortBySize: sort_by_size(layout, limits, std::move(space), builder); break;
    }
    DefragmentationStep step = std::move(builder.step());
    step.is_done = step.moves.empty();
    const std::vector<ChunkLayout> moved = apply_step(step, layout);
    step.before = figures_of(layout);
    step.after = figures_of(moved);
    for (std::size_t chunk = 0; chunk < layout.size(); ++chunk)
        if (!layout[chunk].suballocations.empty() && moved[chunk].suballocations.empty())
            step.emptied_chunks.push_back(chunk);
    return step;
}

}  // namespace heapwright::suballoc
