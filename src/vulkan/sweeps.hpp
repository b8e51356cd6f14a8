// Asks the driver for every image and every buffer of the standard sweep and of a workload. Allocates no device memory.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "heapwright/core/result.hpp"
#include "heapwright/model/report.hpp"
#include "heapwright/model/sweep.hpp"
#include "heapwright/model/workload.hpp"
#include "heapwright_generated/volk.hpp"
#include "probe/run_sweep.hpp"
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

// Whether a device can create an image of some format, tiling, usage and shape, and up to which extent.
// Source: vkGetPhysicalDeviceImageFormatProperties. Thread-safe.

struct ImageSupport {
    std::string not_supported;  // empty: supported within `limits`
    std::string failure;        // of the call: whether the device supports it is not known
    VkImageFormatProperties limits{};

    // Whether the limits admit this extent with this number of mip levels.
    [[nodiscard]] bool admits(const VkExtent3D& extent, std::uint32_t mip_levels) const {
        return extent.width <= limits.maxExtent.width && extent.height <= limits.maxExtent.height &&
               extent.depth <= limits.maxExtent.depth && mip_levels <= limits.maxMipLevels;
    }
};

// Why what vkGetPhysicalDeviceImageFormatProperties or its second form gave is no answer about an image; empty: it is.
[[nodiscard]] std::string failure_of(VkResult result, std::string_view call);

[[nodiscard]] ImageSupport image_support(const Instance& instance, VkPhysicalDevice device,
                                         const model::ImageCase& image);

// Everything but extent and mip levels.
[[nodiscard]] VkImageCreateInfo create_info(const model::ImageCase& image);

}  // namespace heapwright::vulkan
