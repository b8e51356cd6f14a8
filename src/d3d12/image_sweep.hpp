// Asks the device for every texture of the standard sweep and of a workload. Allocates nothing.
#pragma once

#include "d3d12/allocation_query.hpp"
#include "d3d12/format_support.hpp"
#include "heapwright/core/result.hpp"
#include "heapwright/model/sweep.hpp"
#include "heapwright/model/workload.hpp"
#include "probe/pace.hpp"

namespace heapwright::d3d12 {

// The standard cases over the API's grid, and the workload's points where there is one. An extent beyond the API's
// limits or refused by the device has size 0. Errors: kInterrupted, kTimeLimit, kExhausted.
[[nodiscard]] Result<model::ImageSweep> sweep_images(FormatSupport& support, AllocationQuery& query,
                                                     std::size_t memory_type_count, const model::Workload* workload,
                                                     probe::SweepPace& pace);

}  // namespace heapwright::d3d12
