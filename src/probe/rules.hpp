// What the Vulkan specification guarantees of the facts and answers in a report, and figures that no plan should rest
// on unseen. Each function appends a finding for each that the report shows, at most one for each id. Parts that a
// report lacks are not judged. Source: Vulkan specification 1.4, chapters "Device Memory"
// (VkPhysicalDeviceMemoryProperties), "Resource Memory Association" (VkMemoryRequirements), "Required Limits" and
// VK_EXT_memory_budget. Pure and thread-safe.
#pragma once

#include <string_view>
#include <vector>

#include "probe/answers.hpp"
#include "probe/detailed_finding.hpp"

namespace heapwright::probe {

// Of both APIs: budgets and usage beside the sizes of the heaps.
void check_budgets(const model::DeviceReport& device, std::vector<DetailedFinding>& findings);

void check_memory(const model::DeviceReport& device, std::vector<DetailedFinding>& findings);
void check_limits(const model::DeviceReport& device, std::vector<DetailedFinding>& findings);

// What holds for every single answer. `kind` begins the ids: "image", "buffer".
void check_requirements(const model::DeviceReport& device, std::string_view kind, const std::vector<Answer>& answers,
                        std::vector<DetailedFinding>& findings);

// What holds between two images, or two buffers.
void check_images(const model::DeviceReport& device, const std::vector<Answer>& answers,
                  std::vector<DetailedFinding>& findings);
void check_buffers(const model::DeviceReport& device, const std::vector<Answer>& answers,
                   std::vector<DetailedFinding>& findings);

}  // namespace heapwright::probe
