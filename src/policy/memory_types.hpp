// Rule: which memory types serve a use, best first, and why the others do not. Never a type that needs a feature that
// an application must enable first, and none on a heap that holds nothing. Types with equal flags on one heap keep the
// order of the specification. What is streamed is written directly into memory that the device reads locally, unless
// the host was measured to write that at less than a quarter of system memory's rate. Pure.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "heapwright/policy/context.hpp"

namespace heapwright::policy {

// A host-visible device-local heap up to this size is a window into a larger one (a small BAR).
inline constexpr std::uint64_t kSmallBarBytes = 256 * kMiB;

[[nodiscard]] model::MemoryUsePolicy rank_memory_types(const Context& context, model::MemoryUse use,
                                                       std::span<const model::HeapPolicy> heaps);

}  // namespace heapwright::policy
