// A report's measurements of engines for people: lines without an end, one figure or reason each. Pure and thread-safe.
#pragma once

#include <string>
#include <vector>

#include "heapwright/model/engine_measurements.hpp"

namespace heapwright::render {

[[nodiscard]] std::vector<std::string> engine_lines(const model::EngineMeasurements& measured);

}  // namespace heapwright::render
