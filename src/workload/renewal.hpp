// How fast the hints of a workload are renewed, as ResourceStream plays them, and what frames in flight hold of it.
// A frame renews at most what there is, and nothing twice. Vectors are by hint: images, then buffers. Pure.
#pragma once

#include <algorithm>
#include <cstdint>
#include <vector>

#include "heapwright/model/workload.hpp"

namespace heapwright::workload {

[[nodiscard]] constexpr bool is_renewed(model::Lifetime lifetime) {
    return lifetime == model::Lifetime::kStreaming || lifetime == model::Lifetime::kLevel;
}

// Resources of a hint that come and go together: level resources by sixteenths of their hint, streaming ones each
// alone.
[[nodiscard]] constexpr std::uint32_t renewed_together(model::Lifetime lifetime, std::uint32_t count) {
    return lifetime == model::Lifetime::kLevel ? std::max(1u, count / 16) : 1;
}

// Resources of each hint that a frame gives up for others, on average; a frame's own ones are no part of it.
[[nodiscard]] std::vector<double> renewed_in_frame(const model::Workload& workload);

// Resources of each hint that exist beyond its count because frames in flight still use them, on average: at most
// count x frames in flight, and without churn none, for then no frame follows the load.
[[nodiscard]] std::vector<double> held_in_flight(const model::Workload& workload);

}  // namespace heapwright::workload
