// The declarations of DiligentCore 2.5 (DILIGENT_API_VERSION 250000, GraphicsTypes.h) that a configuration touches,
// with their defaults.
#pragma once

#include <cstdint>

namespace Diligent {

using Uint32 = std::uint32_t;

struct EngineD3D12CreateInfo {
    Uint32 CPUDescriptorHeapAllocationSize[4]{8192, 2048, 1024, 1024};
    Uint32 GPUDescriptorHeapSize[2]{16384, 1024};
    Uint32 GPUDescriptorHeapDynamicSize[2]{8192, 1024};
    Uint32 DynamicDescriptorAllocationChunkSize[2]{256, 32};
    Uint32 NumCommandsToFlushCmdList = 256;
    Uint32 DynamicHeapPageSize = 1 << 20;
    Uint32 NumDynamicHeapPagesToReserve = 1;
};

}  // namespace Diligent
