// Which queues of a device become engines: device/engine_choice.hpp for Vulkan's own structures. Pure.
#pragma once

#include <span>
#include <vector>

#include "heapwright_generated/volk.hpp"

#include "device/submitter.hpp"

namespace heapwright::vulkan {

// The engines in order; empty when no family can do graphics or compute work.
[[nodiscard]] std::vector<device::EngineInfo> choose_engines(std::span<const VkQueueFamilyProperties> families);

// For VkDeviceQueueCreateInfo.
[[nodiscard]] float queue_priority(device::EnginePriority priority);

// What an engine of the kind may do on a queue of such a family: a compute engine on a graphics queue does no graphics.
[[nodiscard]] VkQueueFlags engine_flags(device::EngineKind kind, VkQueueFlags family_flags);

}  // namespace heapwright::vulkan
