// Occupancy and fragmentation figures of one block, or of many added up (a pool, a heap).
// Units: the suballocator's own. Plain values; thread-safe to read.
// Source: the introspection that "Vulkan Memory Allocation (Part 1 of N)" asks for (contiguous space, fragmentation).
#pragma once

#include <array>
#include <bit>
#include <cstdint>

namespace heapwright::suballoc {

// Bucket k counts the free ranges whose size is in [2^k, 2^(k+1)).
using ContiguityHistogram = std::array<std::uint64_t, 64>;

struct Figures {
    std::uint64_t capacity = 0;
    std::uint64_t used = 0;  // reserved by suballocations, their internal waste included
    std::uint64_t free = 0;
    std::uint64_t largest_free_range = 0;
    std::uint64_t free_range_count = 0;
    std::uint64_t suballocation_count = 0;
    std::uint64_t internal_waste = 0;  // reserved minus asked for: rounding to a granule, block or slot
    ContiguityHistogram free_ranges_by_size = {};

    // 0 when all free space is one range (or there is none), towards 1 when it is dust.
    [[nodiscard]] double external_fragmentation() const {
        return free == 0 ? 0.0 : 1.0 - static_cast<double>(largest_free_range) / static_cast<double>(free);
    }
    [[nodiscard]] double fill() const {
        return capacity == 0 ? 0.0 : static_cast<double>(used) / static_cast<double>(capacity);
    }

    void add_free_range(std::uint64_t size) {
        free += size;
        if (size > largest_free_range) largest_free_range = size;
        ++free_range_count;
        ++free_ranges_by_size[static_cast<std::size_t>(std::bit_width(size)) - 1];
    }

    // Sums blocks; ranges of different blocks never join, so the largest is the largest of any one block.
    Figures& operator+=(const Figures& other);

    friend bool operator==(const Figures&, const Figures&) = default;
};

}  // namespace heapwright::suballoc
