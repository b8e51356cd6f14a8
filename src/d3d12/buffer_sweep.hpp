// Asks the device for every (usage, size) of the standard sweep and of a workload. Allocates nothing.
#pragma once

#include <cstdint>

#include "heapwright/core/result.hpp"
#include "heapwright/d3d12/allocation_query.hpp"
#include "heapwright/model/sweep.hpp"
#include "heapwright/model/workload.hpp"
#include "heapwright/sweep/pace.hpp"

namespace heapwright::d3d12 {

// What one buffer's addresses can hold (MaxGPUVirtualAddressBitsPerResource), at most what a sweep asks for.
[[nodiscard]] std::uint64_t largest_buffer_bytes(ID3D12Device* device);

// Errors of both: kInterrupted, kTimeLimit; sweep_buffers also kExhausted.
[[nodiscard]] Result<model::BufferSweep> sweep_buffers(AllocationQuery& query, std::uint64_t max_bytes,
                                                       sweep::SweepPace& pace);
[[nodiscard]] Status add_workload_buffers(const model::Workload& workload, AllocationQuery& query,
                                          std::uint64_t max_bytes, sweep::SweepPace& pace, model::BufferSweep& sweep);

}  // namespace heapwright::d3d12
