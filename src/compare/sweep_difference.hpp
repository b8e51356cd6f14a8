// What two sweeps answer differently, case by case: cases are matched by their keys, points by their size; what
// one document did not sweep is missing or new, and inconclusive where its source cannot hold it. One change for every
// case, property and pair of values; group_changes() joins those of many cases that are alike into one sentence. Pure
// and thread-safe.
// Beside it: at which sizes something holds, in words.
#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "compare/device_pairing.hpp"
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

// At which sizes something holds, in words: the simplest condition that is true of exactly the given points among all
// compared ones. Images: "at 128x128 and up", "at every size", "where a side is at least 64", ...; buffers: "from 4096
// bytes on". Where none fits: "at 12 of 230 sizes from 1x1 to 4096x64". Pure and thread-safe.

struct ConditionPoint {
    std::array<std::uint64_t, 2> at{};  // width and height, or size and 0
    bool holds = false;
};

[[nodiscard]] std::string image_condition(std::span<const ConditionPoint> points);
[[nodiscard]] std::string buffer_condition(std::span<const ConditionPoint> points);

}  // namespace heapwright::compare
