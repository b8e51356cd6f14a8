// Which queues of a device become engines: one that can do all kinds of work, one of a dedicated compute family, one
// of a dedicated copy family, where they exist. Pure.
#pragma once

#include <span>
#include <vector>

#include <volk.h>

#include "heapwright/device/submitter.hpp"

namespace heapwright::vulkan {

// The engines in order; empty when no family can do graphics or compute work. A device without a graphics family has
// a compute queue as engine 0, which then refuses what needs graphics.
[[nodiscard]] std::vector<device::EngineInfo> choose_engines(std::span<const VkQueueFamilyProperties> families);

}  // namespace heapwright::vulkan
