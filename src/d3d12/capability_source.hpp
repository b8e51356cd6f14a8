// The Direct3D 12 devices of this machine as a CapabilitySource.
//
// On Linux the runtime is vkd3d, which returns a bare E_FAIL when it refuses a Vulkan device. The reason is in what it
// prints on standard error, lines "err:FUNCTION: TEXT" and "warn:...": creating a source sets VKD3D_DEBUG=err where the
// variable is not set, so that the parent of a probing process finds the first "err:" line in its diagnostics.
// The Windows Subsystem for Linux has another: wsl.hpp.
#pragma once

#include <memory>

#include "d3d12/source_options.hpp"
#include "device/capability_source.hpp"
#include "heapwright/core/result.hpp"

namespace heapwright::d3d12 {

// On Linux one adapter, the one that `options` choose. OpenOptions::validation_layers are refused: the debug layer is
// Windows' own.
// Errors: kNoLoader (no runtime, with the names that were tried), kNoDevice (DXGI lists no adapter), kIoError (an ICD
// manifest that cannot be read), those of D3D12CreateDevice.
[[nodiscard]] Result<std::unique_ptr<device::CapabilitySource>> create_capability_source(const SourceOptions& options);

}  // namespace heapwright::d3d12
