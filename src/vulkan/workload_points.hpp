// The points that a workload names and the standard sweep lacks: its exact extents; where its sides or sizes are drawn
// between two bounds, the bounds and the powers of two between them.
#pragma once

#include "heapwright/core/result.hpp"
#include "heapwright/model/sweep.hpp"
#include "heapwright/model/workload.hpp"
#include "heapwright/sweep/pace.hpp"
#include "heapwright/vulkan/instance.hpp"
#include "heapwright/vulkan/physical_device.hpp"
#include "heapwright/vulkan/requirement_query.hpp"

namespace heapwright::vulkan {

// Both add to `sweep.points` what the grid and the points so far do not answer, and what is odd of it to
// `sweep.odd_answers`. Errors: kInterrupted, kTimeLimit.
[[nodiscard]] Status add_workload_points(const model::Workload& workload, const Instance& instance,
                                         const PhysicalDevice& device, RequirementQuery& query,
                                         std::size_t memory_type_count, sweep::SweepPace& pace,
                                         model::ImageSweep& sweep);
[[nodiscard]] Status add_workload_points(const model::Workload& workload, RequirementQuery& query,
                                         std::uint64_t max_bytes, std::size_t memory_type_count, sweep::SweepPace& pace,
                                         model::BufferSweep& sweep);

}  // namespace heapwright::vulkan
