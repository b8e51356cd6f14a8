// The sentences of observations, with their numbers. Pure.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "heapwright/model/report.hpp"

namespace heapwright::observe {

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

}  // namespace heapwright::observe
