// Structures in a pNext chain. Pure.
#pragma once

#include <vulkan/vulkan_core.h>

namespace heapwright::vulkan {

// Null: the chain has no such structure.
template <class Structure>
[[nodiscard]] const Structure* in_chain(const void* chain, VkStructureType type) {
    for (const auto* at = static_cast<const VkBaseInStructure*>(chain); at != nullptr; at = at->pNext) {
        if (at->sType == type) return reinterpret_cast<const Structure*>(at);
    }
    return nullptr;
}

[[nodiscard]] inline bool is_in_chain(const void* chain, VkStructureType type) {
    return in_chain<VkBaseInStructure>(chain, type) != nullptr;
}

}  // namespace heapwright::vulkan
