#include "vulkan/queue_choice.hpp"

#include "device/engine_choice.hpp"

namespace heapwright::vulkan {

// The model's bits are the specification's.
static_assert(model::queue_flag::kGraphics == VK_QUEUE_GRAPHICS_BIT);
static_assert(model::queue_flag::kCompute == VK_QUEUE_COMPUTE_BIT);
static_assert(model::queue_flag::kTransfer == VK_QUEUE_TRANSFER_BIT);

std::vector<device::EngineInfo> choose_engines(std::span<const VkQueueFamilyProperties> families) {
    std::vector<model::QueueFamily> plain;
    plain.reserve(families.size());
    for (const VkQueueFamilyProperties& family : families) {
        plain.push_back({.flags = family.queueFlags, .queue_count = family.queueCount});
    }
    return device::choose_engines(plain);
}

float queue_priority(device::EnginePriority priority) {
    switch (priority) {
        case device::EnginePriority::kLow: return 0.0f;
        case device::EnginePriority::kNormal: break;
        case device::EnginePriority::kHigh: return 1.0f;
    }
    return 0.5f;
}

VkQueueFlags engine_flags(device::EngineKind kind, VkQueueFlags family_flags) {
    switch (kind) {
        case device::EngineKind::kGraphics: break;
        case device::EngineKind::kCompute: return family_flags & ~VkQueueFlags{VK_QUEUE_GRAPHICS_BIT};
        case device::EngineKind::kCopy:
            return family_flags & ~VkQueueFlags{VK_QUEUE_GRAPHICS_BIT | VK_QUEUE_COMPUTE_BIT};
    }
    return family_flags;
}

}  // namespace heapwright::vulkan
