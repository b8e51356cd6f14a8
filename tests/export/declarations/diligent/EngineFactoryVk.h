// The declarations of DiligentCore 2.5 (DILIGENT_API_VERSION 250000, GraphicsTypes.h) that a configuration touches,
// with their defaults.
#pragma once

#include <cstdint>

namespace Diligent {

using Uint32 = std::uint32_t;

struct VulkanDescriptorPoolSize {
    Uint32 MaxDescriptorSets = 0;
    Uint32 NumSeparateSamplerDescriptors = 0;
    Uint32 NumCombinedSamplerDescriptors = 0;
    Uint32 NumSampledImageDescriptors = 0;
    Uint32 NumStorageImageDescriptors = 0;
    Uint32 NumUniformBufferDescriptors = 0;
    Uint32 NumStorageBufferDescriptors = 0;
    Uint32 NumUniformTexelBufferDescriptors = 0;
    Uint32 NumStorageTexelBufferDescriptors = 0;
};

struct EngineVkCreateInfo {
    VulkanDescriptorPoolSize MainDescriptorPoolSize;
    VulkanDescriptorPoolSize DynamicDescriptorPoolSize;
    Uint32 DeviceLocalMemoryPageSize = 16 << 20;
    Uint32 HostVisibleMemoryPageSize = 16 << 20;
    Uint32 DeviceLocalMemoryReserveSize = 256 << 20;
    Uint32 HostVisibleMemoryReserveSize = 256 << 20;
    Uint32 UploadHeapPageSize = 1 << 20;
    Uint32 DynamicHeapSize = 8 << 20;
    Uint32 DynamicHeapPageSize = 256 << 10;
};

}  // namespace Diligent
