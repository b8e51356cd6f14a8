// Direct3D 12 of the Windows Subsystem for Linux: libd3d12.so, whose adapters libdxcore.so lists. Linux alone.
// A namespace of its own, because this backend is compiled a second time for it (api.hpp).
#pragma once

#include <memory>

#include "device/capability_source.hpp"
#include "heapwright/core/result.hpp"

namespace heapwright::wsl {

// Whether this system has it: the subsystem's GPU device is there, or HEAPWRIGHT_DXCORE names a DXCore library. Loads
// nothing.
[[nodiscard]] bool has_direct3d12();

// Every adapter that DXCore lists for Direct3D 12 graphics. Errors: kNoLoader with the names that were tried,
// kNoDevice, those of D3D12CreateDevice.
[[nodiscard]] Result<std::unique_ptr<device::CapabilitySource>> create_direct3d12_source();

}  // namespace heapwright::wsl
