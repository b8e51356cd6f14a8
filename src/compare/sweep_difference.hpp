// What two sweeps answer differently, case by case: cases are matched by their keys, points by their size; what
// one document did not sweep is missing or new, and inconclusive where its source cannot hold it. One change for every
// case, property and pair of values; group_changes() joins those of many cases that are alike into one sentence. Pure
// and thread-safe.
#pragma once

#include <string_view>
#include <vector>

#include "compare/memory_layout.hpp"
#include "model/comparison.hpp"

namespace heapwright::compare {

// The value of what one document's sweep did not ask about.
inline constexpr std::string_view kNotSwept = "not swept";

struct SweepDifferences {
    std::vector<model::SweepChange> changes;  // one case each; without statements
    std::uint64_t same_points = 0;
};

[[nodiscard]] SweepDifferences compare_sweeps(const model::DeviceReport& baseline, const model::DeviceReport& other);

// Alike: property, values, status, reason and the points themselves. Worst status first; statements are made here.
[[nodiscard]] std::vector<model::SweepChange> group_changes(std::vector<model::SweepChange> changes);

}  // namespace heapwright::compare
