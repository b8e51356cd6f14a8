// Memory maps: letters are suballocations, capitals cannot move, '.' free.
#include <catch2/catch_test_macros.hpp>

#include "heapwright/suballoc/defragmentation.hpp"

using namespace heapwright;
using namespace heapwright::suballoc;

TEST_CASE("the chunk that costs least to empty is freed first") {
    //   0: aaaaaa..  1: bb......  2: cccc....   b goes to 0, where it fits best; then c has no place
    const std::vector<ChunkLayout> layout = {
        {8, {{.id = 1, .offset = 0, .size = 6}}},
        {8, {{.id = 2, .offset = 0, .size = 2}}},
        {8, {{.id = 3, .offset = 0, .size = 4}}},
    };
    const auto step = plan_defragmentation(layout, DefragmentationStrategy::kFreeChunks).value();
    REQUIRE(step.moves.size() == 1);
    CHECK(step.moves[0].id == 2);
    CHECK(step.moves[0].to_chunk == 0);
    CHECK(step.moves[0].to_offset == 6);
    CHECK(step.emptied_chunks == std::vector<std::size_t>{1});
    CHECK(step.before.empty_chunk_count == 0);
    CHECK(step.after.empty_chunk_count == 1);
    CHECK(step.after.empty_chunk_bytes == 8);
    CHECK(plan_defragmentation(apply_step(step, layout), DefragmentationStrategy::kFreeChunks).value().is_done);
}

TEST_CASE("a chunk that cannot be emptied is not begun") {
    //   0: aaaa....  1: bb..C...   C stays, so b need not move; a does not fit chunk 1
    const std::vector<ChunkLayout> layout = {
        {8, {{.id = 1, .offset = 0, .size = 4}}},
        {8, {{.id = 2, .offset = 0, .size = 2}, {.id = 3, .offset = 4, .size = 1, .is_movable = false}}},
    };
    CHECK(plan_defragmentation(layout, DefragmentationStrategy::kFreeChunks).value().is_done);
}

TEST_CASE("a step keeps to its limits and the next goes on") {
    //   0: aaaa....  1: bcd.....   two moves a step
    std::vector<ChunkLayout> layout = {
        {8, {{.id = 1, .offset = 0, .size = 4}}},
        {8, {{.id = 2, .offset = 0, .size = 1}, {.id = 3, .offset = 1, .size = 1}, {.id = 4, .offset = 2, .size = 1}}},
    };
    const DefragmentationLimits limits = {.bytes = 100, .moves = 2};
    const auto first = plan_defragmentation(layout, DefragmentationStrategy::kFreeChunks, limits).value();
    CHECK(first.moves.size() == 2);
    CHECK(first.emptied_chunks.empty());
    layout = apply_step(first, layout);
    const auto second = plan_defragmentation(layout, DefragmentationStrategy::kFreeChunks, limits).value();
    CHECK(second.moves.size() == 1);
    CHECK(second.emptied_chunks == std::vector<std::size_t>{1});
    const auto by_bytes = plan_defragmentation(layout, DefragmentationStrategy::kFreeChunks, {.bytes = 0}).error();
    CHECK(by_bytes.code == ErrorCode::kInvalidArgument);
}

TEST_CASE("sorting by size packs the largest first and frees the end") {
    //   a..bbb..   ->  bbba....   in two steps: b's place is taken by a and by b itself
    std::vector<ChunkLayout> layout = {{8, {{.id = 1, .offset = 0, .size = 1}, {.id = 2, .offset = 3, .size = 3}}}};
    int steps = 0;
    for (;; ++steps) {
        REQUIRE(steps < 10);
        const auto step = plan_defragmentation(layout, DefragmentationStrategy::kSortBySize).value();
        if (step.is_done) break;
        layout = apply_step(step, layout);
    }
    for (const MovableSuballocation& at : layout[0].suballocations) CHECK(at.offset == (at.id == 2 ? 0u : 3u));
    CHECK(figures_of(layout).largest_free_range == 4);
    CHECK(figures_of(layout).free_range_count == 1);
}

TEST_CASE("a layout that is none is refused") {
    const auto plan = [](const std::vector<ChunkLayout>& layout) {
        return plan_defragmentation(layout, DefragmentationStrategy::kFreeChunks);
    };
    CHECK_FALSE(plan({{8, {{.id = 1, .offset = 0, .size = 4}, {.id = 2, .offset = 3, .size = 2}}}}));
    CHECK_FALSE(plan({{8, {{.id = 1, .offset = 6, .size = 4}}}}));
    CHECK_FALSE(plan({{8, {{.id = 1, .offset = 1, .size = 2, .alignment = 2}}}}));
    CHECK_FALSE(plan({{8, {{.id = 1, .offset = 0, .size = 0}}}}));
    CHECK_FALSE(plan({{8, {{.id = 1, .offset = 0, .size = 1}}}, {8, {{.id = 1, .offset = 0, .size = 1}}}}));
    CHECK(plan({}).value().is_done);
}
