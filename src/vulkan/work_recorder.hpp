// A plan recorded into a command buffer: a full memory barrier first, so that memory which another resource used
// before may be reused; one barrier between batches; images brought to rest and writes made visible to the host at the
// end.
// Beside it: whether an item of work may be recorded on a queue.
#pragma once

#include "heapwright/core/result.hpp"
#include "heapwright_generated/volk.hpp"
#include "vulkan/dispatch_recorder.hpp"
#include "vulkan/open_device.hpp"
#include "vulkan/work_plan.hpp"

namespace heapwright::vulkan {

// `commands` is in the recording state; what they need to keep goes into the arena. Errors: those of descriptor sets.
[[nodiscard]] Status record_work(const OpenDevice& context, VkCommandBuffer commands, const WorkPlan& plan,
                                 const WorkObjects& objects, RecordingArena& arena);

// Whether one item of work may be recorded on a queue. device::check_work() knows what every backend asks; this adds
// what only Vulkan's views, tables and limits can refuse, and looks the item's resources up.

// The item with its resources. Errors: plan_work's, without the position.
[[nodiscard]] Result<PlannedWork> check_work(const OpenDevice& context, const device::Work& work,
                                             VkQueueFlags queue_flags, const WorkObjects& objects);

}  // namespace heapwright::vulkan
