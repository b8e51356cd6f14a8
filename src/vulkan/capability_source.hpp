// The Vulkan devices of this machine as a CapabilitySource.
#pragma once

#include <cstdint>
#include <filesystem>
#include <memory>
#include <vector>

#include "device/capability_source.hpp"
#include "heapwright/core/result.hpp"

namespace heapwright::vulkan {

// How a Vulkan instance is made. No Vulkan header, so that a user of the backend needs none.
struct InstanceOptions {
    std::vector<std::filesystem::path> icd_files;  // empty: all drivers that the loader finds
    bool validation_layers = false;                // VK_LAYER_KHRONOS_validation
    bool synchronization_validation = false;       // the layer's check of hazards too; needs validation_layers

    // An older loader and driver can be played: Vulkan 1.newest_minor at most, and an instance without any extension
    // (with newest_minor 0 that is one that lacks even vkGetPhysicalDeviceProperties2).
    std::uint32_t newest_minor = 3;
    bool instance_extensions = true;
};

// Owns the instance; outlives the devices that it opens. Without a device adapters() is empty.
// The loader unloads drivers with the process's last source, and not every driver bears that often (NVIDIA's 580.159
// refuses instances after some 28 times): who opens devices again and again keeps a source.
// With options.validation_layers every opened device is validated; without, open() refuses a request to validate.
// Errors: those of Instance::create().
[[nodiscard]] Result<std::unique_ptr<device::CapabilitySource>> create_capability_source(
    const InstanceOptions& options);

}  // namespace heapwright::vulkan
