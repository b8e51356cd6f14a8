// The device that an engine runs on, as it told the loader. Plain values.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "heapwright/core/result.hpp"
#include "heapwright/model/report.hpp"
#include "heapwright/policy_loader.h"

namespace heapwright::loader {

struct RunningDevice {
    model::DeviceIdentity identity;
    std::vector<model::MemoryHeap> heaps;
    std::vector<std::uint64_t> budget_bytes;  // one per heap, 0: unknown
    std::vector<model::MemoryType> memory_types;
    std::vector<model::Fact> limits;  // those that are known
};

// Errors: kInvalidArgument for what contradicts itself (no heap, a heap index beyond the heaps, more than 32 types).
[[nodiscard]] Result<RunningDevice> running_device(const heapwright_device& device);

}  // namespace heapwright::loader
