// What may be taken of a device: bytes of each heap, and the number of device allocations.
//
// Rule: how much of each heap the application may reserve, and into how many parts K it is divided.
//   usable = the usable budget (contract/feasibility.hpp) less the workload's reserve share, which is taken
//   twice where heaps share one RAM (context.hpp)
// The budget of the moment may be smaller: the same share of it stays with other processes at run time. No such share
// where the device reports no budget.
// K = 62 is the default of "Vulkan Memory Allocation (Part 1 of N)", fewer where the number of device allocations is
// short. Pure.
#pragma once

#include <cstdint>
#include <vector>

#include "policy/context.hpp"

namespace heapwright::policy {

inline constexpr std::uint64_t kDefaultParts = 62;

// One entry per heap of the report, in its order. Appends to `warnings` what rests on missing data, and
// budgets and usage that cannot be.
[[nodiscard]] std::vector<model::HeapPolicy> decide_heaps(const Context& context,
                                                          const model::Decided<std::uint64_t>& max_chunks,
                                                          model::Statement& warnings);

// Rule: how many device allocations the policy may make, dedicated ones included: seven eighths of
// maxMemoryAllocationCount; the rest is left to the swapchain and to other libraries of the process. Pure.

// The specification's own minimum of maxMemoryAllocationCount.
inline constexpr std::uint64_t kGuaranteedAllocationCount = 4096;

[[nodiscard]] model::Decided<std::uint64_t> decide_max_chunks(const Context& context, model::Statement& warnings);

}  // namespace heapwright::policy
