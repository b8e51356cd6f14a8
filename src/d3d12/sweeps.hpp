// Asks the device for every texture and every buffer of the standard sweep and of a workload. Allocates nothing.
#pragma once

#include <cstdint>

#include "d3d12/allocation_query.hpp"
#include "d3d12/format_support.hpp"
#include "heapwright/core/result.hpp"
#include "heapwright/model/sweep.hpp"
#include "heapwright/model/workload.hpp"
#include "probe/run_sweep.hpp"

namespace heapwright::d3d12 {

// The standard cases over the API's grid, and the workload's points where there is one. An extent beyond the API's
// limits or refused by the device has size 0. Errors: kInterrupted, kTimeLimit, kExhausted.
[[nodiscard]] Result<model::ImageSweep> sweep_images(FormatSupport& support, AllocationQuery& query,
                                                     std::size_t memory_type_count, const model::Workload* workload,
                                                     probe::SweepPace& pace, std::vector<model::Finding>& findings);

// What one buffer's addresses can hold (MaxGPUVirtualAddressBitsPerResource), at most what a sweep asks for.
[[nodiscard]] std::uint64_t largest_buffer_bytes(ID3D12Device* device, probe::FailedQuestions& failed);

// The standard cases, and the workload's points where there is one. A size that the device refused has size 0. Errors:
// kInterrupted, kTimeLimit, kExhausted.
[[nodiscard]] Result<model::BufferSweep> sweep_buffers(AllocationQuery& query, std::uint64_t max_bytes,
                                                       std::size_t memory_type_count, const model::Workload* workload,
                                                       probe::SweepPace& pace, std::vector<model::Finding>& findings);

}  // namespace heapwright::d3d12
