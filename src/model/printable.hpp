// A document whose every text is printable() (core/text.hpp): what a writer of text for people is given, so that
// no name in it ends a line. Not for JSON, which keeps the exact bytes. Pure and thread-safe.
#pragma once

#include "heapwright/model/policy.hpp"
#include "heapwright/model/report.hpp"
#include "heapwright/model/validation.hpp"
#include "model/comparison.hpp"
#include "model/what_if.hpp"

namespace heapwright::model {

[[nodiscard]] DeviceIdentity printable(DeviceIdentity identity);
[[nodiscard]] ProbeFailure printable(ProbeFailure failure);
[[nodiscard]] Report printable(Report report);
[[nodiscard]] Policy printable(Policy policy);
[[nodiscard]] Validation printable(Validation validation);
[[nodiscard]] Comparison printable(Comparison comparison);
[[nodiscard]] WhatIf printable(WhatIf what_if);

}  // namespace heapwright::model
