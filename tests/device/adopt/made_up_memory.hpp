// Memory types, and what resources ask of them, made up over a real driver: the functions that the pool is given count,
// fail, and tell what they were called with. One at a time, without the layers.
#pragma once

#include <cstdint>
#include <vector>

#include <vulkan/vulkan_core.h>

#include "engine.hpp"

namespace heapwright::test {

struct MadeUpMemory {
    std::vector<VkMemoryPropertyFlags> types;  // all of the driver's heap 0
    std::uint32_t unmappable_types = 0;        // bits: vkMapMemory fails there

    // What was seen since the beginning.
    struct Allocated {
        std::uint32_t type = 0;
        VkExternalMemoryHandleTypeFlags exported_as = 0;
        VkMemoryAllocateFlags flags = 0;
        bool is_dedicated = false;
    };
    std::vector<Allocated> allocated;
    std::uint32_t maps = 0;
    std::uint32_t forbidden_questions = 0;  // vkGetDeviceImageMemoryRequirements about what it may not be asked
};

// The engine's device with that memory; `created` is what the pool is told that it was created with. Both outlive what
// is made with it.
[[nodiscard]] vulkan::PoolDevice with_memory(const Engine& engine, MadeUpMemory& memory, VkDeviceCreateInfo& created);

}  // namespace heapwright::test
