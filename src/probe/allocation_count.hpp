// How many small allocations of a memory type live at the same time. Bounded in number, bytes and time; all are freed
// before it returns.
#pragma once

#include <cstdint>

#include "core/clock.hpp"
#include "device/device.hpp"
#include "heapwright/core/result.hpp"
#include "probe/driver_failure.hpp"

namespace heapwright::probe {

// "As a guideline, the Vulkan conformance test suite requires that at least 80 minimum-size allocations can exist
// concurrently" (Vulkan specification, vkAllocateMemory; said of protected memory, which has the lowest limits).
inline constexpr std::uint64_t kConformanceAllocations = 80;

// One page: what a driver rounds less up to anyway.
inline constexpr std::uint64_t kCountedAllocationBytes = 4096;

struct CountBounds {
    std::uint64_t allocations = 0;
    std::uint64_t bytes = 0;        // by the sizes asked for, and by the growth of the heap's usage
    std::uint64_t deadline_ns = 0;  // of the clock; not heeded before kConformanceAllocations were made
    FailureFunction on_failure;     // may be empty; of a lack of memory that the heap's budget denies
};

// A lack of memory or of room for more objects is a result, not an error. Errors: kInterrupted, MemorySource's others.
[[nodiscard]] Result<model::AllocationCount> count_allocations(device::Device& device, Clock& clock,
                                                               MemoryTypeIndex memory_type, const CountBounds& bounds);

}  // namespace heapwright::probe
