// Whether one item of work may be recorded on a queue. device::check_work() knows what every backend asks; this adds
// what only Vulkan's views, tables and limits can refuse, and looks the item's resources up.
#pragma once

#include "heapwright_generated/volk.hpp"

#include "heapwright/core/result.hpp"
#include "vulkan/dispatch_recorder.hpp"
#include "vulkan/work_plan.hpp"

namespace heapwright::vulkan {

// The item with its resources. Errors: plan_work's, without the position.
[[nodiscard]] Result<PlannedWork> check_work(const OpenDevice& context, const device::Work& work,
                                             VkQueueFlags queue_flags, const WorkObjects& objects);

}  // namespace heapwright::vulkan
