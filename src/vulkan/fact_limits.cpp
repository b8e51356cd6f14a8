// The members of VkPhysicalDeviceLimits and VkPhysicalDeviceSparseProperties that decide sizes, alignments, counts and
// descriptors; what concerns only shading and rasterization is left out.
#include "vulkan/fact_tables.hpp"

namespace heapwright::vulkan {
namespace {

constexpr FactMember kLimits[] = {
    HEAPWRIGHT_FACT(VkPhysicalDeviceLimits, maxImageDimension1D),
    HEAPWRIGHT_FACT(VkPhysicalDeviceLimits, maxImageDimension2D),
    HEAPWRIGHT_FACT(VkPhysicalDeviceLimits, maxImageDimension3D),
    HEAPWRIGHT_FACT(VkPhysicalDeviceLimits, maxImageDimensionCube),
    HEAPWRIGHT_FACT(VkPhysicalDeviceLimits, maxImageArrayLayers),
    HEAPWRIGHT_FACT(VkPhysicalDeviceLimits, maxTexelBufferElements),
    HEAPWRIGHT_FACT(VkPhysicalDeviceLimits, maxUniformBufferRange),
    HEAPWRIGHT_FACT(VkPhysicalDeviceLimits, maxStorageBufferRange),
    HEAPWRIGHT_FACT(VkPhysicalDeviceLimits, maxPushConstantsSize),
    HEAPWRIGHT_FACT(VkPhysicalDeviceLimits, maxMemoryAllocationCount),
    HEAPWRIGHT_FACT(VkPhysicalDeviceLimits, maxSamplerAllocationCount),
    HEAPWRIGHT_FACT(VkPhysicalDeviceLimits, bufferImageGranularity),
    HEAPWRIGHT_FACT(VkPhysicalDeviceLimits, sparseAddressSpaceSize),
    HEAPWRIGHT_FACT(VkPhysicalDeviceLimits, maxBoundDescriptorSets),
    HEAPWRIGHT_FACT(VkPhysicalDeviceLimits, maxPerStageDescriptorSamplers),
    HEAPWRIGHT_FACT(VkPhysicalDeviceLimits, maxPerStageDescriptorUniformBuffers),
    HEAPWRIGHT_FACT(VkPhysicalDeviceLimits, maxPerStageDescriptorStorageBuffers),
    HEAPWRIGHT_FACT(VkPhysicalDeviceLimits, maxPerStageDescriptorSampledImages),
    HEAPWRIGHT_FACT(VkPhysicalDeviceLimits, maxPerStageDescriptorStorageImages),
    HEAPWRIGHT_FACT(VkPhysicalDeviceLimits, maxPerStageDescriptorInputAttachments),
    HEAPWRIGHT_FACT(VkPhysicalDeviceLimits, maxPerStageResources),
    HEAPWRIGHT_FACT(VkPhysicalDeviceLimits, maxDescriptorSetSamplers),
    HEAPWRIGHT_FACT(VkPhysicalDeviceLimits, maxDescriptorSetUniformBuffers),
    HEAPWRIGHT_FACT(VkPhysicalDeviceLimits, maxDescriptorSetUniformBuffersDynamic),
    HEAPWRIGHT_FACT(VkPhysicalDeviceLimits, maxDescriptorSetStorageBuffers),
    HEAPWRIGHT_FACT(VkPhysicalDeviceLimits, maxDescriptorSetStorageBuffersDynamic),
    HEAPWRIGHT_FACT(VkPhysicalDeviceLimits, maxDescriptorSetSampledImages),
    HEAPWRIGHT_FACT(VkPhysicalDeviceLimits, maxDescriptorSetStorageImages),
    HEAPWRIGHT_FACT(VkPhysicalDeviceLimits, maxDescriptorSetInputAttachments),
    HEAPWRIGHT_FACT(VkPhysicalDeviceLimits, maxComputeSharedMemorySize),
    HEAPWRIGHT_FACT(VkPhysicalDeviceLimits, minMemoryMapAlignment),
    HEAPWRIGHT_FACT(VkPhysicalDeviceLimits, minTexelBufferOffsetAlignment),
    HEAPWRIGHT_FACT(VkPhysicalDeviceLimits, minUniformBufferOffsetAlignment),
    HEAPWRIGHT_FACT(VkPhysicalDeviceLimits, minStorageBufferOffsetAlignment),
    HEAPWRIGHT_FACT(VkPhysicalDeviceLimits, maxFramebufferWidth),
    HEAPWRIGHT_FACT(VkPhysicalDeviceLimits, maxFramebufferHeight),
    HEAPWRIGHT_FACT(VkPhysicalDeviceLimits, maxFramebufferLayers),
    HEAPWRIGHT_FACT(VkPhysicalDeviceLimits, framebufferColorSampleCounts),
    HEAPWRIGHT_FACT(VkPhysicalDeviceLimits, framebufferDepthSampleCounts),
    HEAPWRIGHT_FACT(VkPhysicalDeviceLimits, framebufferStencilSampleCounts),
    HEAPWRIGHT_FACT(VkPhysicalDeviceLimits, framebufferNoAttachmentsSampleCounts),
    HEAPWRIGHT_FACT(VkPhysicalDeviceLimits, maxColorAttachments),
    HEAPWRIGHT_FACT(VkPhysicalDeviceLimits, sampledImageColorSampleCounts),
    HEAPWRIGHT_FACT(VkPhysicalDeviceLimits, sampledImageIntegerSampleCounts),
    HEAPWRIGHT_FACT(VkPhysicalDeviceLimits, sampledImageDepthSampleCounts),
    HEAPWRIGHT_FACT(VkPhysicalDeviceLimits, sampledImageStencilSampleCounts),
    HEAPWRIGHT_FACT(VkPhysicalDeviceLimits, storageImageSampleCounts),
    HEAPWRIGHT_FACT(VkPhysicalDeviceLimits, discreteQueuePriorities),
    HEAPWRIGHT_FACT(VkPhysicalDeviceLimits, optimalBufferCopyOffsetAlignment),
    HEAPWRIGHT_FACT(VkPhysicalDeviceLimits, optimalBufferCopyRowPitchAlignment),
    HEAPWRIGHT_FACT(VkPhysicalDeviceLimits, nonCoherentAtomSize),
};

constexpr FactMember kSparse[] = {
    HEAPWRIGHT_FACT(VkPhysicalDeviceSparseProperties, residencyStandard2DBlockShape),
    HEAPWRIGHT_FACT(VkPhysicalDeviceSparseProperties, residencyStandard2DMultisampleBlockShape),
    HEAPWRIGHT_FACT(VkPhysicalDeviceSparseProperties, residencyStandard3DBlockShape),
    HEAPWRIGHT_FACT(VkPhysicalDeviceSparseProperties, residencyAlignedMipSize),
    HEAPWRIGHT_FACT(VkPhysicalDeviceSparseProperties, residencyNonResidentStrict),
};

constexpr FactStructure kLimitsStructure{"VkPhysicalDeviceLimits",
                                         VK_STRUCTURE_TYPE_MAX_ENUM,
                                         sizeof(VkPhysicalDeviceLimits),
                                         VK_API_VERSION_1_0,
                                         "",
                                         kLimits};

constexpr FactStructure kSparseStructure{"VkPhysicalDeviceSparseProperties",
                                         VK_STRUCTURE_TYPE_MAX_ENUM,
                                         sizeof(VkPhysicalDeviceSparseProperties),
                                         VK_API_VERSION_1_0,
                                         "",
                                         kSparse};

}  // namespace

const FactStructure& limits_structure() {
    return kLimitsStructure;
}

const FactStructure& sparse_properties_structure() {
    return kSparseStructure;
}

}  // namespace heapwright::vulkan
