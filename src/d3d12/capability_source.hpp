// The Direct3D 12 devices of this machine as a CapabilitySource.
//
// On Linux the runtime is vkd3d, which returns a bare E_FAIL when it refuses a Vulkan device. The reason is in what it
// prints on standard error, lines "err:FUNCTION: TEXT" and "warn:...": creating a source sets VKD3D_DEBUG=err where the
// variable is not set, so that the parent of a probing process finds the first "err:" line in its diagnostics.
// The Windows Subsystem for Linux has another: wsl.hpp.
#pragma once

#include <cstdint>
#include <filesystem>
#include <memory>
#include <optional>
#include <vector>

#include "device/capability_source.hpp"
#include "heapwright/core/result.hpp"
#include "heapwright/model/report.hpp"

namespace heapwright::d3d12 {

// Which Direct3D 12 devices a source has. No Direct3D header, so that a user of the backend needs none.

// On Linux the runtime (vkd3d) works on one Vulkan device of the process, which the first two choose before anything
// is loaded: open one source a process. On Windows DXGI enumerates the adapters and all three are ignored.
struct SourceOptions {
    std::vector<std::filesystem::path> icd_files;      // Vulkan drivers; empty: all that the loader finds
    std::optional<std::uint32_t> vulkan_device_index;  // position in Vulkan's enumeration; empty: vkd3d's own choice
    // What a Vulkan probe says of that device. Used where the runtime cannot tell which device it is on.
    std::optional<model::DeviceIdentity> vulkan_device;
};

// On Linux one adapter, the one that `options` choose. OpenOptions::validation_layers are refused: the debug layer is
// Windows' own.
// Errors: kNoLoader (no runtime, with the names that were tried), kNoDevice (DXGI lists no adapter), kIoError (an ICD
// manifest that cannot be read), those of D3D12CreateDevice.
[[nodiscard]] Result<std::unique_ptr<device::CapabilitySource>> create_capability_source(const SourceOptions& options);

}  // namespace heapwright::d3d12
