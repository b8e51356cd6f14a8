// The answer of vkGet*MemoryRequirements2 and vkGetDevice*MemoryRequirements: VkMemoryRequirements2 with
// VkMemoryDedicatedRequirements chained to it. Not movable: the chain points into it. Sizes in bytes.
#pragma once

#include "heapwright_generated/volk.hpp"

#include "heapwright/model/resource.hpp"

namespace heapwright::vulkan {

struct RequirementsAnswer {
    VkMemoryDedicatedRequirements dedicated{};
    VkMemoryRequirements2 answer{};

    RequirementsAnswer() {
        dedicated.sType = VK_STRUCTURE_TYPE_MEMORY_DEDICATED_REQUIREMENTS;
        answer.sType = VK_STRUCTURE_TYPE_MEMORY_REQUIREMENTS_2;
        answer.pNext = &dedicated;
    }
    RequirementsAnswer(const RequirementsAnswer&) = delete;
    RequirementsAnswer& operator=(const RequirementsAnswer&) = delete;

    [[nodiscard]] model::MemoryRequirements result() const {
        model::Dedicated need = model::Dedicated::kNone;
        if (dedicated.prefersDedicatedAllocation == VK_TRUE) need = model::Dedicated::kPreferred;
        if (dedicated.requiresDedicatedAllocation == VK_TRUE) need = model::Dedicated::kRequired;
        return {.size_bytes = answer.memoryRequirements.size,
                .alignment_bytes = answer.memoryRequirements.alignment,
                .memory_type_bits = answer.memoryRequirements.memoryTypeBits,
                .dedicated = need};
    }
};

}  // namespace heapwright::vulkan
