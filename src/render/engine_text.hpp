// A report's measurements of engines and of creations for people: lines without an end, one figure or reason each. Pure
// and thread-safe.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "heapwright/model/report.hpp"

namespace heapwright::render {

[[nodiscard]] std::vector<std::string> measured_lines(const model::DeviceVolatile& run);
// "copy commands", "a compute shader".
[[nodiscard]] std::string_view to_words(model::CopyMeans means);
// How many a millisecond: "1329", "2.1".
[[nodiscard]] std::string a_millisecond(std::uint64_t pairs_per_s);

}  // namespace heapwright::render
