#include "heapwright/suballoc/figures.hpp"

#include <algorithm>

namespace heapwright::suballoc {

Figures& Figures::operator+=(const Figures& other) {
    capacity += other.capacity;
    used += other.used;
    free += other.free;
    largest_free_range = std::max(largest_free_range, other.largest_free_range);
    free_range_count += other.free_range_count;
    suballocation_count += other.suballocation_count;
    internal_waste += other.internal_waste;
    for (std::size_t bucket = 0; bucket < free_ranges_by_size.size(); ++bucket)
        free_ranges_by_size[bucket] += other.free_ranges_by_size[bucket];
    return *this;
}

}  // namespace heapwright::suballoc
