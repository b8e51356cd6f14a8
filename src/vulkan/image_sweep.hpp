// Asks the driver for every image of the standard sweep and of a workload. Allocates no device memory.
#pragma once

#include <vector>

#include "heapwright/core/result.hpp"
#include "heapwright/model/report.hpp"
#include "heapwright/model/sweep.hpp"
#include "heapwright/model/workload.hpp"
#include "probe/pace.hpp"
#include "vulkan/instance.hpp"
#include "vulkan/physical_device.hpp"
#include "vulkan/requirement_query.hpp"

namespace heapwright::vulkan {

// The standard cases over the device's grid, and the workload's points where there is one. An extent beyond the case's
// limits, refused by the driver, answered with more than maxResourceSize or answered oddly (odd_answers) has size 0.
// Where the driver failed to say what it supports, a finding "image-sweep-not-measured" tells.
// Errors: kInterrupted, kTimeLimit, kExhausted.
[[nodiscard]] Result<model::ImageSweep> sweep_images(const Instance& instance, const PhysicalDevice& device,
                                                     RequirementQuery& query, std::size_t memory_type_count,
                                                     const model::Workload* workload, probe::SweepPace& pace,
                                                     std::vector<model::Finding>& findings);

}  // namespace heapwright::vulkan
