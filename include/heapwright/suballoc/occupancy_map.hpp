// The share of each of N equal cells of a block that is used: what a report draws as a strip or a grid.
// Built in one pass over the used ranges, in any order. Not thread-safe.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

namespace heapwright::suballoc {

class OccupancyMap {
public:
    // At most one cell a unit; none for an empty block.
    OccupancyMap(std::uint64_t capacity, std::size_t cell_count);

    // The range lies inside the block and overlaps no range added before.
    void add_used(std::uint64_t offset, std::uint64_t size);

    // Each in [0, 1], in the order of offsets.
    [[nodiscard]] std::vector<double> shares() const;

private:
    [[nodiscard]] std::uint64_t cell_begin(std::size_t cell) const;
    [[nodiscard]] std::size_t cell_of(std::uint64_t offset) const;

    std::uint64_t quotient_ = 0;
    std::uint64_t remainder_ = 0;  // the first `remainder_` cells are one unit longer
    std::vector<std::uint64_t> used_;
};

// Of any suballocator that visits its ranges (for_each_range).
template <class Allocator>
[[nodiscard]] std::vector<double> occupancy_of(const Allocator& allocator, std::size_t cell_count) {
    OccupancyMap map(allocator.capacity(), cell_count);
    allocator.for_each_range([&](std::uint64_t offset, std::uint64_t size, bool is_used) {
        if (is_used) map.add_used(offset, size);
    });
    return map.shares();
}

}  // namespace heapwright::suballoc
