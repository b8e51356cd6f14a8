// Findings on what could not be measured. Not thread-safe: they change the report.
#pragma once

#include "heapwright/core/result.hpp"
#include "heapwright/model/report.hpp"
#include "probe/driver_failure.hpp"

namespace heapwright::isolate {

// A device that cannot be measured keeps its report, and a finding says why: a warning where the driver failed, else a
// note. Errors: kInterrupted is given back.
[[nodiscard]] Status note_failure(Error error, const char* id, model::DeviceReport& report);

// Parts that the driver failed in, a line each; beyond eight the last line counts them. The function writes into
// `report`, which outlives it.
[[nodiscard]] probe::FailureFunction note_failures(const char* id, model::DeviceReport& report);

}  // namespace heapwright::isolate
