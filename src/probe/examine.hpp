// Compares a report with what the specification guarantees. A violation becomes a finding with the clause and the
// entries that show it. Of a Direct3D 12 device only its budgets are looked at. Pure and thread-safe.
#pragma once

#include <vector>

#include "heapwright/model/report.hpp"
#include "probe/detailed_finding.hpp"

namespace heapwright::probe {

// In a fixed order; no id stands twice.
[[nodiscard]] std::vector<DetailedFinding> examine_in_detail(const model::DeviceReport& device);

// The same without those whose id the report's findings hold already.
[[nodiscard]] std::vector<model::Finding> examine(const model::DeviceReport& device);

}  // namespace heapwright::probe
