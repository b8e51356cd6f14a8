// Findings on what could not be measured. Not thread-safe: they change the report.
// Beside it: what is left of a device whose probe came to an end before its time.
#pragma once

#include <string>
#include <string_view>

#include "heapwright/core/result.hpp"
#include "heapwright/model/report.hpp"
#include "heapwright/model/validation.hpp"
#include "probe/driver_failure.hpp"

namespace heapwright::isolate {

// A device that cannot be measured keeps its report, and a finding says why: a warning where the driver failed, else a
// note. Errors: kInterrupted is given back.
[[nodiscard]] Status note_failure(Error error, const char* id, model::DeviceReport& report);

// Parts that the driver failed in, a line each; beyond eight the last line counts them. The function writes into
// `report`, which outlives it.
[[nodiscard]] probe::FailureFunction note_failures(const char* id, model::DeviceReport& report);

// What is left of a device whose probe or validation came to an end before its time. What it did not come to is
// missing: `absent` is for what an origin cannot give, which nobody misses. Pure and thread-safe.

// Of a call in which the process ended or hung.
[[nodiscard]] model::Finding crash_finding(const std::string& reason, const std::string& call,
                                           std::string_view what_is_missing);

// Of a call that gave an error in the midst of a probe.
[[nodiscard]] model::Finding failure_finding(const Error& error);

[[nodiscard]] model::DeviceReport left_with(model::DeviceReport facts, model::Finding finding);

// The scenarios that were done (at least one), and the one that was under way, where `step` names it: inconclusive for
// `reason`, unless one that was done had failed.
[[nodiscard]] model::DeviceValidation left_with(model::DeviceValidation done, const std::string& step,
                                                std::string reason);

}  // namespace heapwright::isolate
