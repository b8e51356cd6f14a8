// Opens a Vulkan device behind the seams of src/device. Needs Vulkan 1.1 and timeline semaphores; uses maintenance4,
// memory budgets, memory priorities and buffer device addresses where the device has them. Protected memory and AMD's
// device-coherent memory stay off. Several devices may be open at once.
#pragma once

#include <cstddef>
#include <memory>
#include <optional>

#include "heapwright_generated/volk.hpp"

#include "device/capability_source.hpp"
#include "device/device.hpp"
#include "heapwright/core/result.hpp"
#include "heapwright/model/report.hpp"
#include "vulkan/instance.hpp"

namespace heapwright::vulkan {

// `facts_without_sweep` is what the probe says of this physical device. The instance outlives the device and is not
// moved meanwhile; its messages are the device's validation messages, so devices of one instance share them.
// Errors: kNotSupported with what the device lacks; kRefused when `options` ask for validation layers and the instance
// was made without; vkCreateDevice's.
[[nodiscard]] Result<std::unique_ptr<device::Device>> open_device(const Instance& instance, VkPhysicalDevice physical,
                                                                  model::DeviceReport facts_without_sweep,
                                                                  const device::OpenOptions& options);

struct LiveObjects {
    std::size_t source_allocations = 0;  // by device::MemorySource::allocate
    std::size_t resources = 0;
    std::size_t allocations = 0;      // with dedicated resources and descriptor buffers, as the device counts them
    std::size_t command_buffers = 0;  // ever made; they are used again
    std::size_t descriptor_heaps = 0;
    std::size_t samplers = 0;  // of descriptors
    std::size_t command_allocators = 0;
    std::size_t pipelines = 0;

    friend bool operator==(const LiveObjects&, const LiveObjects&) = default;
};

// Nothing when `device` was not opened by open_device().
[[nodiscard]] std::optional<LiveObjects> live_objects(const device::Device& device);

}  // namespace heapwright::vulkan
