// Asks the device for every (case, extent) of the standard sweep and of a workload. Allocates nothing.
#pragma once

#include "heapwright/core/result.hpp"
#include "heapwright/d3d12/allocation_query.hpp"
#include "heapwright/d3d12/format_support.hpp"
#include "heapwright/model/sweep.hpp"
#include "heapwright/model/workload.hpp"
#include "heapwright/sweep/pace.hpp"

namespace heapwright::d3d12 {

// An extent beyond the API's limits or refused by the device has size 0. Errors: kInterrupted, kTimeLimit, kExhausted.
[[nodiscard]] Result<model::ImageSweep> sweep_images(FormatSupport& support, AllocationQuery& query,
                                                     sweep::SweepPace& pace);

// Adds the workload's points that the sweep lacks. Errors: kInterrupted, kTimeLimit.
[[nodiscard]] Status add_workload_images(const model::Workload& workload, FormatSupport& support,
                                         AllocationQuery& query, sweep::SweepPace& pace, model::ImageSweep& sweep);

}  // namespace heapwright::d3d12
