#include "heapwright/vulkan/queue_choice.hpp"

#include <bit>
#include <optional>

namespace heapwright::vulkan {
namespace {

// The family with all of `required`, none of `excluded`, and fewest abilities beside: a copy family that can also
// decode video is taken only when there is no plain one.
std::optional<QueueFamilyIndex> plainest_family(std::span<const VkQueueFamilyProperties> families,
                                                VkQueueFlags required, VkQueueFlags excluded) {
    std::optional<QueueFamilyIndex> best;
    int best_abilities = 0;
    for (std::uint32_t i = 0; i < families.size(); ++i) {
        const VkQueueFlags flags = families[i].queueFlags;
        if (families[i].queueCount == 0 || (flags & required) != required || (flags & excluded) != 0) continue;
        const int abilities = std::popcount(flags);
        if (best && abilities >= best_abilities) continue;
        best = QueueFamilyIndex{i};
        best_abilities = abilities;
    }
    return best;
}

}  // namespace

std::vector<device::EngineInfo> choose_engines(std::span<const VkQueueFamilyProperties> families) {
    using device::EngineInfo;
    using device::EngineKind;
    std::vector<EngineInfo> engines;
    engines.reserve(3);

    auto general = plainest_family(families, VK_QUEUE_GRAPHICS_BIT | VK_QUEUE_COMPUTE_BIT, 0);
    if (!general) general = plainest_family(families, VK_QUEUE_GRAPHICS_BIT, 0);
    if (general) engines.push_back({.kind = EngineKind::kGraphics, .queue_family = *general});

    if (const auto compute = plainest_family(families, VK_QUEUE_COMPUTE_BIT, VK_QUEUE_GRAPHICS_BIT)) {
        engines.push_back({.kind = EngineKind::kCompute, .queue_family = *compute});
    }
    if (engines.empty()) return engines;

    constexpr VkQueueFlags kNotCopy = VK_QUEUE_GRAPHICS_BIT | VK_QUEUE_COMPUTE_BIT;
    if (const auto copy = plainest_family(families, VK_QUEUE_TRANSFER_BIT, kNotCopy)) {
        engines.push_back({.kind = EngineKind::kCopy, .queue_family = *copy});
    }
    return engines;
}

}  // namespace heapwright::vulkan
