// Vulkan's rules on exclusive resources. Each byte belongs to the queue family whose queue used it first, until one
// release by that family and the acquire of the same bytes that follows it hand it over. Only queues of the owning
// family may touch it, and between release and acquire nobody.
//
// A transition touches it as work does: a layout transition reads and writes the image's memory, and who does not own
// an image takes it without its contents. Only a transition from VK_IMAGE_LAYOUT_UNDEFINED, which gives the contents
// up, may be another family's; schedules hold none. A present reads the image on the queue that it is given to: a
// presentable image of an exclusive swapchain has to be handed to that queue's family first. The host owns nothing and
// touches no owner's bytes by these rules; what its accesses must wait for is the access rules'. Uses are taken in the
// order in which the schedule plays; what has no order is the access rules' finding. Source: Vulkan specification,
// VkSharingMode, queue family ownership transfer, image layout transitions, WSI swapchain.
#pragma once

#include <vector>

#include "heapwright/schedule/happens_before.hpp"
#include "heapwright/schedule/progress.hpp"
#include "heapwright/schedule/schedule.hpp"
#include "heapwright/schedule/violation.hpp"

namespace heapwright::schedule {

// A violation names the owner's last access, or the release, beside the one at fault.
[[nodiscard]] std::vector<Violation> check_ownership(const Schedule& schedule, const Progress& progress,
                                                     const HappensBefore& order);

}  // namespace heapwright::schedule
