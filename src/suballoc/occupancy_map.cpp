#include "heapwright/suballoc/occupancy_map.hpp"

#include <algorithm>

namespace heapwright::suballoc {

OccupancyMap::OccupancyMap(std::uint64_t capacity, std::size_t cell_count) {
    const auto cells = static_cast<std::size_t>(std::min<std::uint64_t>(capacity, cell_count));
    used_.assign(cells, 0);
    if (cells == 0) return;
    quotient_ = capacity / cells;
    remainder_ = capacity % cells;
}

std::uint64_t OccupancyMap::cell_begin(std::size_t cell) const {
    return cell * quotient_ + std::min<std::uint64_t>(cell, remainder_);
}

std::size_t OccupancyMap::cell_of(std::uint64_t offset) const {
    const std::uint64_t long_part = remainder_ * (quotient_ + 1);
    if (offset < long_part) return static_cast<std::size_t>(offset / (quotient_ + 1));
    return static_cast<std::size_t>(remainder_ + (offset - long_part) / quotient_);
}

void OccupancyMap::add_used(std::uint64_t offset, std::uint64_t size) {
    if (used_.empty() || size == 0) return;
    const std::uint64_t end = offset + size;
    for (std::size_t cell = cell_of(offset); cell < used_.size() && cell_begin(cell) < end; ++cell)
        used_[cell] += std::min(end, cell_begin(cell + 1)) - std::max(offset, cell_begin(cell));
}

std::vector<double> OccupancyMap::shares() const {
    std::vector<double> shares;
    shares.reserve(used_.size());
    for (std::size_t cell = 0; cell < used_.size(); ++cell)
        shares.push_back(static_cast<double>(used_[cell]) /
                         static_cast<double>(cell_begin(cell + 1) - cell_begin(cell)));
    return shares;
}

}  // namespace heapwright::suballoc
