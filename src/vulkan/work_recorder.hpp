// A plan recorded into a command buffer: a full memory barrier first, so that memory which another resource used
// before may be reused; one barrier between batches; writes made visible to the host at the end.
#pragma once

#include <volk.h>

#include "heapwright/vulkan/device_context.hpp"
#include "heapwright/vulkan/work_plan.hpp"

namespace heapwright::vulkan {

// `commands` is in the recording state.
void record_work(const DeviceContext& context, VkCommandBuffer commands, const WorkPlan& plan);

}  // namespace heapwright::vulkan
