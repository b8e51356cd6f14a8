// Which Direct3D 12 devices a source has. No Direct3D header, so that a user of the backend needs none.
#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <vector>

#include "heapwright/model/report.hpp"

namespace heapwright::d3d12 {

// On Linux the runtime (vkd3d) works on one Vulkan device of the process, which the first two choose before anything
// is loaded: open one source a process. On Windows DXGI enumerates the adapters and all three are ignored.
struct SourceOptions {
    std::vector<std::filesystem::path> icd_files;      // Vulkan drivers; empty: all that the loader finds
    std::optional<std::uint32_t> vulkan_device_index;  // position in Vulkan's enumeration; empty: vkd3d's own choice
    // What a Vulkan probe says of that device. Used where the runtime cannot tell which device it is on.
    std::optional<model::DeviceIdentity> vulkan_device;
};

}  // namespace heapwright::d3d12
