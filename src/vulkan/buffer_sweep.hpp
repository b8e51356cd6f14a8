// Asks the driver for every (usage, size) and keeps the answers in shared tables. Allocates no device memory.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "heapwright/core/result.hpp"
#include "heapwright/model/report.hpp"
#include "heapwright/model/sweep.hpp"
#include "heapwright/vulkan/physical_device.hpp"
#include "heapwright/vulkan/requirement_query.hpp"
#include "heapwright/vulkan/sweep_pace.hpp"

namespace heapwright::vulkan {

// 1 to 64, powers of two and their neighbours, odd sizes, up to and including `max_bytes`. Pure.
[[nodiscard]] std::vector<std::uint64_t> buffer_sizes(std::uint64_t max_bytes);

// Each usage alone, the combinations that engines make, and all together. Pure.
[[nodiscard]] std::vector<model::BufferCase> standard_buffer_cases();

// maxBufferSize where the device tells one, else 2^40; never more than 2^40.
[[nodiscard]] std::uint64_t largest_buffer_bytes(const std::vector<model::Fact>& limits);

// Empty when the device can create buffers of this usage.
[[nodiscard]] std::string unsupported_buffer_usage(const RequirementQuery& query, model::Flags usage);

[[nodiscard]] VkBufferCreateInfo create_info(const model::BufferDescription& buffer);

// No workload points. A size that the driver refused has size 0. Errors: kInterrupted, kTimeLimit, kExhausted.
[[nodiscard]] Result<model::BufferSweep> sweep_buffers(RequirementQuery& query, std::uint64_t max_bytes,
                                                       SweepPace& pace);

}  // namespace heapwright::vulkan
