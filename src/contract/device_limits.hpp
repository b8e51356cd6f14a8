// The limits that memory is placed by, and what stands in for one that a report does not state. Sizes in bytes. Pure
// and thread-safe.
// Source: Vulkan specification, "Limits". Direct3D 12 has none of them.
#pragma once

#include <cstdint>

#include "heapwright/model/report.hpp"

namespace heapwright::contract {

// Without one the heap alone bounds an allocation.
[[nodiscard]] inline std::uint64_t largest_allocation_bytes(const model::DeviceReport& facts) {
    return facts.limit("maxMemoryAllocationSize").value_or(~std::uint64_t{0});
}

// Without one as many as there is memory for.
[[nodiscard]] inline std::uint64_t most_allocations(const model::DeviceReport& facts) {
    return facts.limit("maxMemoryAllocationCount").value_or(~std::uint64_t{0});
}

// Without one linear and optimal resources may touch.
[[nodiscard]] inline std::uint64_t granularity_bytes(const model::DeviceReport& facts) {
    return facts.limit("bufferImageGranularity").value_or(1);
}

// Without one any range of mapped memory may be flushed.
[[nodiscard]] inline std::uint64_t flush_unit_bytes(const model::DeviceReport& facts) {
    return facts.limit("nonCoherentAtomSize").value_or(1);
}

}  // namespace heapwright::contract
