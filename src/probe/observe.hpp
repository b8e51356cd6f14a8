// What can be said of a device's sweep in few words: the observations of "Vulkan Memory Allocation (Part 1 of N)",
// derived for any device. Pure and thread-safe; never fails: what cannot be said is left out.
// Beside it: the rule finder of alignments, and the parts of observe().
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "heapwright/model/observation.hpp"
#include "heapwright/model/report.hpp"

namespace heapwright::probe {

// Reads image_sweep and buffer_sweep alone. One image observation per image table, one buffer observation per buffer
// table, in their order.
[[nodiscard]] model::Observations observe(const model::DeviceReport& device);

// Finds the simplest rule that tells the alignment of every point of a table. The rule is found on one half of the
// points and stated only when it predicts every point of the other half, in each of its ranges at least two, so that
// no range rests on a single odd point. Pure and thread-safe; no allocation after construction but the result's.

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

// The parts of observe(): a table of a sweep in few words, and the sentences that say it. Pure.

// One image table in few words.
// `table` is an index into the sweep's tables; `finder` was made for the sweep's grid.
[[nodiscard]] model::ImageObservation observe_image_table(const model::ImageSweep& sweep, std::uint32_t table,
                                                          const AlignmentRuleFinder& finder);

// One buffer table in few words, and what a buffer's usage changes.
[[nodiscard]] model::BufferObservation observe_buffer_table(const model::BufferSweep& sweep, std::uint32_t table);

struct BufferUsageEffect {
    bool size = false;
    bool alignment = false;
    bool memory_types = false;
};

// Compares the answers of all cases at every size that they share.
[[nodiscard]] BufferUsageEffect buffer_usage_effect(const model::BufferSweep& sweep);

// The sentences, with their numbers.
// "Alignment is 65536 when both sides are at least 128, else 4096 (256 points, 128 held out, all predicted)."
[[nodiscard]] std::string rule_sentence(const model::AlignmentRule& rule);

// `entry` is a case that the table answers, or null; `answered` counts its points.
[[nodiscard]] std::string image_statement(const model::ImageObservation& observation, const model::ImageCase* entry,
                                          std::uint32_t answered);

[[nodiscard]] std::string buffer_statement(const model::BufferObservation& observation,
                                           std::optional<std::uint64_t> rounding_above_minimum, std::size_t answered);

// About the device as a whole, from its other observations.
[[nodiscard]] std::vector<std::string> device_statements(const model::DeviceReport& device,
                                                         const model::Observations& observations);

}  // namespace heapwright::probe
