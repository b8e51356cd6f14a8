// Whether what one report measured of memory was measured in the other: costs by memory type and size, copies, counted
// allocations, budgets. A measurement that is gone is missing, one that failed has regressed; a size is inconclusive
// where a run says that it had no time or no memory for it. A baseline that measured nothing of a part asks nothing of
// it. Pure and thread-safe.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "heapwright/model/report.hpp"
#include "model/comparison.hpp"

namespace heapwright::compare {

// Why a report lacks all measurements of a kind through no fault of the device: an import holds none, and a probe may
// have had no time left, as a finding of the id `out_of_time` says. Empty: no reason.
[[nodiscard]] std::string why_not_measured(const model::DeviceReport& device, std::string_view out_of_time);

// Without `costs`, budgets alone.
[[nodiscard]] std::vector<model::FieldChange> compare_measured(const model::DeviceReport& baseline,
                                                               const model::DeviceReport& other, bool costs);

}  // namespace heapwright::compare
