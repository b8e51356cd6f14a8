// Carries plans out on a simulated memory that remembers who wrote each unit: no move may touch live data, every
// suballocation keeps its contents, limits hold, and the plan comes to an end.
#include <catch2/catch_test_macros.hpp>

#include <map>
#include <string>
#include <string_view>

#include "core/checked.hpp"
#include "core/random.hpp"
#include "heapwright/suballoc/any_suballocator.hpp"
#include "heapwright/suballoc/defragmentation.hpp"
#include "property_run.hpp"

using namespace heapwright;
using namespace heapwright::suballoc;
using namespace heapwright::test;

namespace {

using Memory = std::vector<std::vector<std::uint64_t>>;  // the id of what owns each unit, 0 for none

Memory memory_of(const std::vector<ChunkLayout>& layout) {
    Memory memory;
    for (const ChunkLayout& chunk : layout) {
        auto& units = memory.emplace_back(chunk.capacity, 0);
        for (const MovableSuballocation& at : chunk.suballocations)
            for (std::uint64_t unit = 0; unit < at.size; ++unit) units[at.offset + unit] = at.id;
    }
    return memory;
}

std::vector<ChunkLayout> random_layout(Random& random) {
    std::vector<ChunkLayout> layout;
    const std::uint64_t chunk_count = random.between(1, 6);
    std::uint64_t next_id = 1;
    for (std::uint64_t chunk = 0; chunk < chunk_count; ++chunk) {
        const std::uint64_t capacity = random.between(64, 1024);
        auto allocator = TlsfAllocator::create({.capacity = capacity}).value();
        std::map<std::uint32_t, MovableSuballocation> live;
        std::vector<SuballocationHandle> handles;
        for (int step = 0; step < 120; ++step) {
            if (!handles.empty() && random.below(100) < 45) {
                const std::size_t index = random.below(handles.size());
                live.erase(handles[index].index);
                allocator.free(handles[index]);
                handles.erase(handles.begin() + static_cast<std::ptrdiff_t>(index));
                continue;
            }
            const std::uint64_t alignment = 1ull << random.below(6);
            if (const auto made = allocator.allocate(random.between(1, 100), alignment)) {
                handles.push_back(made->handle);
                live[made->handle.index] = {.id = next_id++,
                                            .offset = made->offset,
                                            .size = made->size,
                                            .alignment = alignment,
                                            .is_movable = random.below(40) != 0};
            }
        }
        // Some chunks nearly empty: those are what a plan frees.
        const bool is_sparse = random.below(2) == 0;
        ChunkLayout& made = layout.emplace_back(ChunkLayout{.capacity = capacity});
        for (const auto& [index, suballocation] : live)
            if (!is_sparse || random.below(4) == 0) made.suballocations.push_back(suballocation);
    }
    return layout;
}

void carry_out(const DefragmentationStep& step, const std::vector<ChunkLayout>& layout,
               const DefragmentationLimits& limits, const auto& require) {
    const Memory before = memory_of(layout);
    Memory memory = before;
    std::uint64_t bytes = 0;
    for (const DefragmentationMove& move : step.moves) {
        bytes += move.size;
        for (std::uint64_t unit = 0; unit < move.size; ++unit) {
            require(move.to_offset + unit < memory[move.to_chunk].size(), "a move leaves its chunk");
            auto& target = memory[move.to_chunk][move.to_offset + unit];
            require(target == 0, "a move overwrites what is live");
            require(before[move.from_chunk][move.from_offset + unit] == move.id, "a move reads what is not its own");
            target = move.id;  // the old place is not free before the step has ended
        }
    }
    require(bytes == step.moved_bytes && bytes <= limits.bytes && step.moves.size() <= limits.moves,
            "a step breaks its limits");
}

void run_to_the_end(DefragmentationStrategy strategy, std::uint64_t seed) {
    Random random(seed);
    std::vector<ChunkLayout> layout = random_layout(random);
    DefragmentationLimits limits;
    if (random.below(3) != 0) limits = {.bytes = random.between(1, 300), .moves = random.between(1, 10)};
    const LayoutFigures first = figures_of(layout);
    std::uint64_t steps = 0;
    const auto require = [&](bool holds, std::string_view what) {
        if (!holds) FAIL(what << "; " << replay_hint(seed, steps));
    };
    for (;; ++steps) {
        require(steps < 4000, "the plan does not end");
        const auto step = plan_defragmentation(layout, strategy, limits);
        require(step.has_value(), step ? std::string_view() : std::string_view(step.error().message));
        if (step->is_done) break;
        carry_out(*step, layout, limits, require);
        layout = apply_step(*step, layout);
        const LayoutFigures now = figures_of(layout);
        require(now == step->after, "the step does not gain what it says");
        require(now.used_bytes == first.used_bytes, "something is lost");
        if (strategy == DefragmentationStrategy::kFreeChunks)
            require(now.empty_chunk_count >= step->before.empty_chunk_count, "a step fills an empty chunk");
        for (const ChunkLayout& chunk : layout)
            for (const MovableSuballocation& at : chunk.suballocations)
                require(at.offset % at.alignment == 0, "a move breaks an alignment");
    }
    require(figures_of(layout).empty_chunk_count >= first.empty_chunk_count ||
                strategy == DefragmentationStrategy::kSortBySize,
            "fewer chunks are empty than before");
}

}  // namespace

TEST_CASE("plans never touch live data and end: chunks freed first") {
    const std::uint64_t layouts = property_operations() / 1000;
    for (std::uint64_t index = 0; index < layouts; ++index)
        run_to_the_end(DefragmentationStrategy::kFreeChunks, property_seed() + index);
}

TEST_CASE("plans never touch live data and end: sorted by size") {
    const std::uint64_t layouts = property_operations() / 1000;
    for (std::uint64_t index = 0; index < layouts; ++index)
        run_to_the_end(DefragmentationStrategy::kSortBySize, property_seed() + index);
}
