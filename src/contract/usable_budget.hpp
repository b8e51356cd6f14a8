// What a heap's size, the budget that the device reports of it and what is in use leave to take: stated once, for what
// plans, simulates, replays or executes.
//   a budget of 0, or none, is unknown: the heap's size counts
//   a budget above its heap counts as the heap's size
//   what the process that asks uses already is taken off; more than all of it leaves nothing
// VkPhysicalDeviceMemoryBudgetPropertiesEXT: heapBudget is how much this process can allocate from the heap and
// includes what it has allocated; it must be non-zero and at most VkMemoryHeap::size. heapUsage is what this process
// uses. DXGI_QUERY_VIDEO_MEMORY_INFO: Budget is what the application should target, CurrentUsage its own usage. So what
// other processes hold is off the budget already. The usage in a report is that of the process that wrote it: a plan
// for another one takes nothing off, and a process that allocates on has its budget less its usage.
// Sizes in bytes. Pure and thread-safe; no errors.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>

#include "heapwright/model/report.hpp"

namespace heapwright::contract {

// Empty where the device names none.
[[nodiscard]] std::optional<std::uint64_t> known_budget(std::uint64_t reported_bytes);
[[nodiscard]] std::optional<std::uint64_t> known_budget(const model::DeviceReport& device, std::size_t heap);

[[nodiscard]] std::uint64_t usable_budget(std::uint64_t heap_bytes, std::optional<std::uint64_t> budget_bytes,
                                          std::uint64_t used_bytes = 0);
// In a plan: of a process that has taken nothing yet. A heap that the report lacks has nothing.
[[nodiscard]] std::uint64_t usable_budget(const model::DeviceReport& device, std::size_t heap);

// Less the share that is left to other processes; 0 to 1, in millionths.
[[nodiscard]] std::uint64_t without_share(std::uint64_t bytes, double share);

}  // namespace heapwright::contract
