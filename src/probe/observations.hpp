// The parts of observe() (observe.hpp): a table of a sweep in few words, and the sentences that say it. Pure.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "heapwright/model/report.hpp"
#include "probe/alignment_rule.hpp"

namespace heapwright::probe {

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
