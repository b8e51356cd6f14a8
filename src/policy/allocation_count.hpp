// Rule: how many device allocations the policy may make, dedicated ones included: seven eighths of
// maxMemoryAllocationCount; the rest is left to the swapchain and to other libraries of the process. Pure.
#pragma once

#include "heapwright/policy/context.hpp"

namespace heapwright::policy {

// The specification's own minimum of maxMemoryAllocationCount.
inline constexpr std::uint64_t kGuaranteedAllocationCount = 4096;

[[nodiscard]] model::Decided<std::uint64_t> decide_max_chunks(const Context& context, model::Statement& warnings);

}  // namespace heapwright::policy
