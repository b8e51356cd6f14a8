// Asks the driver for every buffer of the standard sweep and of a workload. Allocates no device memory.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "heapwright/core/result.hpp"
#include "heapwright/model/report.hpp"
#include "heapwright/model/sweep.hpp"
#include "heapwright/model/workload.hpp"
#include "probe/pace.hpp"
#include "vulkan/physical_device.hpp"
#include "vulkan/requirement_query.hpp"

namespace heapwright::vulkan {

// maxBufferSize where the device tells one, else 2^40; never more than 2^40.
[[nodiscard]] std::uint64_t largest_buffer_bytes(const std::vector<model::Fact>& limits);

// Empty when the device can create buffers of this usage.
[[nodiscard]] std::string unsupported_buffer_usage(const RequirementQuery& query, model::Flags usage);

[[nodiscard]] VkBufferCreateInfo create_info(const model::BufferDescription& buffer);

// The standard cases, and the workload's points where there is one. A size that the driver refused or answered oddly
// (odd_answers) has size 0. A finding tells of cases of which the driver told nothing. Errors: kInterrupted,
// kTimeLimit, kExhausted.
[[nodiscard]] Result<model::BufferSweep> sweep_buffers(RequirementQuery& query, std::uint64_t max_bytes,
                                                       std::size_t memory_type_count, const model::Workload* workload,
                                                       probe::SweepPace& pace, std::vector<model::Finding>& findings);

}  // namespace heapwright::vulkan
