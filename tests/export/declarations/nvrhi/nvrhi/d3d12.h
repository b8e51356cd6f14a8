// The declarations of NVRHI's source of 2026-11 (nvrhi/d3d12.h, nvrhi/nvrhi.h) that a configuration touches, with their
// defaults.
#pragma once

#include <cstddef>
#include <cstdint>

namespace nvrhi {

enum class CommandQueue : std::uint8_t { Graphics = 0, Compute, Copy };

struct CommandListParameters {
    bool enableImmediateExecution = true;
    std::size_t uploadChunkSize = 64 * 1024;
    std::size_t scratchChunkSize = 64 * 1024;
    std::size_t scratchMaxMemory = 1024 * 1024 * 1024;
    CommandQueue queueType = CommandQueue::Graphics;
};

namespace d3d12 {

struct DeviceDesc {
    std::uint32_t renderTargetViewHeapSize = 1024;
    std::uint32_t depthStencilViewHeapSize = 1024;
    std::uint32_t shaderResourceViewHeapSize = 16384;
    std::uint32_t samplerHeapSize = 1024;
    std::uint32_t maxTimerQueries = 256;
};

}  // namespace d3d12
}  // namespace nvrhi
