// Rule: how much of each heap the application may reserve, and into how many parts K it is divided.
//   usable = the usable budget (contract/usable_budget.hpp) less the workload's reserve share, which is taken
//   twice where heaps share one RAM (device_class.hpp)
// The budget of the moment may be smaller: the same share of it stays with other processes at run time. No such share
// where the device reports no budget.
// K = 62 is the default of "Vulkan Memory Allocation (Part 1 of N)", fewer where the number of device allocations is
// short. Pure.
#pragma once

#include <cstdint>
#include <vector>

#include "heapwright/policy/context.hpp"

namespace heapwright::policy {

inline constexpr std::uint64_t kDefaultParts = 62;

// One entry per heap of the report, in its order. Appends to `warnings` what rests on missing data, and
// budgets and usage that cannot be.
[[nodiscard]] std::vector<model::HeapPolicy> decide_heaps(const Context& context,
                                                          const model::Decided<std::uint64_t>& max_chunks,
                                                          model::Statement& warnings);

}  // namespace heapwright::policy
