// Finds the simplest rule that tells the alignment of every point of a table. The rule is found on one half of the
// points and stated only when it predicts every point of the other half, in each of its ranges at least two, so that
// no range rests on a single odd point. Pure and thread-safe; no allocation after construction but the result's.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "heapwright/model/observation.hpp"

namespace heapwright::probe {

struct AlignedPoint {
    std::uint32_t width = 1;
    std::uint32_t height = 1;
    std::uint64_t size_bytes = 0;  // 0: not a point of this table
    std::uint64_t alignment_bytes = 1;
};

// Orders the points of one grid by each condition's key once, for all tables on that grid.
class AlignmentRuleFinder {
public:
    // The extents of the grid's points.
    explicit AlignmentRuleFinder(std::vector<std::array<std::uint32_t, 2>> extents);

    // `points` is parallel to the grid.
    [[nodiscard]] std::optional<model::AlignmentRule> find(std::span<const AlignedPoint> points) const;

private:
    std::vector<bool> first_half_;                      // by a hash of the extent
    std::array<std::vector<std::uint32_t>, 5> orders_;  // of the conditions that depend on the extent alone
};

// The key that a condition compares with its thresholds; 0 for kAlways.
[[nodiscard]] std::uint64_t condition_key(model::AlignmentCondition condition, const AlignedPoint& point);

// The alignment that a rule predicts.
[[nodiscard]] std::uint64_t predicted_alignment(const model::AlignmentRule& rule, const AlignedPoint& point);

}  // namespace heapwright::probe
