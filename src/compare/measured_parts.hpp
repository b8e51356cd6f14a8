// Whether what one report measured was measured in the other: memory costs by memory type and size, copies, counted
// allocations, engines, budgets. A measurement that is gone is missing, one that failed has regressed; a size beyond
// those that a run had time for is inconclusive. A baseline that measured nothing of a part asks nothing of it. Pure
// and thread-safe.
#pragma once

#include <vector>

#include "heapwright/model/comparison.hpp"
#include "heapwright/model/report.hpp"

namespace heapwright::compare {

// Without `costs`, engines and budgets alone.
[[nodiscard]] std::vector<model::FieldChange> compare_measured(const model::DeviceReport& baseline,
                                                               const model::DeviceReport& other, bool costs);

}  // namespace heapwright::compare
