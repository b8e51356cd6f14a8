// How a Vulkan instance is made. No Vulkan header, so that a user of the backend needs none.
#pragma once

#include <filesystem>
#include <vector>

namespace heapwright::vulkan {

struct InstanceOptions {
    std::vector<std::filesystem::path> icd_files;  // empty: all drivers that the loader finds
    bool validation_layers = false;                // VK_LAYER_KHRONOS_validation
    bool synchronization_validation = false;       // the layer's check of hazards too; needs validation_layers
};

}  // namespace heapwright::vulkan
