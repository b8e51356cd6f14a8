// The declarations of Dawn's source of 2026-11 (webgpu_cpp.h) that a configuration touches.
#pragma once

#include <cstddef>
#include <cstdint>

namespace wgpu {

enum class SType : std::uint32_t { DawnDeviceAllocatorControl = 0x00050042 };

struct ChainedStruct {
    const ChainedStruct* nextInChain = nullptr;
    SType sType{};
};

struct DawnDeviceAllocatorControl : ChainedStruct {
    DawnDeviceAllocatorControl() { sType = SType::DawnDeviceAllocatorControl; }
    std::size_t allocatorHeapBlockSize = 0;
};

}  // namespace wgpu
