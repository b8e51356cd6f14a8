// How a Vulkan instance is made. No Vulkan header, so that a user of the backend needs none.
#pragma once

#include <cstdint>
#include <filesystem>
#include <vector>

namespace heapwright::vulkan {

struct InstanceOptions {
    std::vector<std::filesystem::path> icd_files;  // empty: all drivers that the loader finds
    bool validation_layers = false;                // VK_LAYER_KHRONOS_validation
    bool synchronization_validation = false;       // the layer's check of hazards too; needs validation_layers

    // An older loader and driver can be played: Vulkan 1.newest_minor at most, and an instance without any extension
    // (with newest_minor 0 that is one that lacks even vkGetPhysicalDeviceProperties2).
    std::uint32_t newest_minor = 3;
    bool instance_extensions = true;
};

}  // namespace heapwright::vulkan
