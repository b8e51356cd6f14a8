// The defragmentation planner: from a layout of chunks, and a budget, the next moves. Pure: it changes nothing and
// remembers nothing; the caller carries a step out, updates the layout and asks again until is_done.
// Guarantees of one step, whatever the strategy: every destination is free in the layout given, aligned, inside its
// chunk, and disjoint from every other destination of the step, so that no move overwrites live data and the moves may
// run in any order or at once; the old places are free only after the step (behind its fence). No step moves more
// bytes or suballocations than its limits; what cannot move or does not fit the limits stays where it is.
// Units: bytes. Errors: by value, for a layout that is not one. Thread-safe (no state).
// Source: "Vulkan Memory Allocation (Part 1 of N)" for kSortBySize; kFreeChunks is ours.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "heapwright/core/result.hpp"

namespace heapwright::suballoc {

struct MovableSuballocation {
    std::uint64_t id = 0;  // the caller's; unique in the layout
    std::uint64_t offset = 0;
    std::uint64_t size = 0;
    std::uint64_t alignment = 1;  // power of two
    bool is_movable = true;
};

struct ChunkLayout {
    std::uint64_t capacity = 0;
    std::vector<MovableSuballocation> suballocations;  // in any order
};

enum class DefragmentationStrategy : std::uint8_t {
    kFreeChunks,  // empty the chunks that cost least to empty, into the free ranges of the others
    kSortBySize,  // all suballocations by falling size from the first chunk on, which frees the ends
};

struct DefragmentationLimits {
    std::uint64_t bytes = ~0ull;
    std::size_t moves = ~std::size_t{0};
};

struct DefragmentationMove {
    std::uint64_t id = 0;
    std::uint64_t size = 0;
    std::size_t from_chunk = 0;  // index in the layout
    std::uint64_t from_offset = 0;
    std::size_t to_chunk = 0;
    std::uint64_t to_offset = 0;
};

// What a defragmentation is measured by.
struct LayoutFigures {
    std::uint64_t used_bytes = 0;
    std::uint64_t largest_free_range = 0;
    std::uint64_t free_range_count = 0;
    std::size_t empty_chunk_count = 0;
    std::uint64_t empty_chunk_bytes = 0;
    friend bool operator==(const LayoutFigures&, const LayoutFigures&) = default;
};

struct DefragmentationStep {
    std::vector<DefragmentationMove> moves;
    std::uint64_t moved_bytes = 0;
    std::vector<std::size_t> emptied_chunks;  // hold nothing once the step is carried out
    LayoutFigures before;
    LayoutFigures after;
    bool is_done = false;  // no moves, and none in a later step of an unchanged layout
};

[[nodiscard]] Result<DefragmentationStep> plan_defragmentation(const std::vector<ChunkLayout>& layout,
                                                               DefragmentationStrategy strategy,
                                                               const DefragmentationLimits& limits = {});

// The layout after a step is carried out.
[[nodiscard]] std::vector<ChunkLayout> apply_step(const DefragmentationStep& step, std::vector<ChunkLayout> layout);

[[nodiscard]] LayoutFigures figures_of(const std::vector<ChunkLayout>& layout);

}  // namespace heapwright::suballoc
