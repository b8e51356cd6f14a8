// The members of VkPhysicalDeviceLimits and of other properties that decide sizes, alignments, counts and descriptors.
#include "import/vulkan_facts.hpp"

#include <array>

namespace heapwright::imports {
namespace {

using Name = std::string_view;

constexpr Name kLimits[]{"maxImageDimension1D",
                         "maxImageDimension2D",
                         "maxImageDimension3D",
                         "maxImageDimensionCube",
                         "maxImageArrayLayers",
                         "maxTexelBufferElements",
                         "maxUniformBufferRange",
                         "maxStorageBufferRange",
                         "maxPushConstantsSize",
                         "maxMemoryAllocationCount",
                         "maxSamplerAllocationCount",
                         "bufferImageGranularity",
                         "sparseAddressSpaceSize",
                         "maxBoundDescriptorSets",
                         "maxPerStageDescriptorSamplers",
                         "maxPerStageDescriptorUniformBuffers",
                         "maxPerStageDescriptorStorageBuffers",
                         "maxPerStageDescriptorSampledImages",
                         "maxPerStageDescriptorStorageImages",
                         "maxPerStageDescriptorInputAttachments",
                         "maxPerStageResources",
                         "maxDescriptorSetSamplers",
                         "maxDescriptorSetUniformBuffers",
                         "maxDescriptorSetUniformBuffersDynamic",
                         "maxDescriptorSetStorageBuffers",
                         "maxDescriptorSetStorageBuffersDynamic",
                         "maxDescriptorSetSampledImages",
                         "maxDescriptorSetStorageImages",
                         "maxDescriptorSetInputAttachments",
                         "maxComputeSharedMemorySize",
                         "minMemoryMapAlignment",
                         "minTexelBufferOffsetAlignment",
                         "minUniformBufferOffsetAlignment",
                         "minStorageBufferOffsetAlignment",
                         "maxFramebufferWidth",
                         "maxFramebufferHeight",
                         "maxFramebufferLayers",
                         "framebufferColorSampleCounts",
                         "framebufferDepthSampleCounts",
                         "framebufferStencilSampleCounts",
                         "framebufferNoAttachmentsSampleCounts",
                         "maxColorAttachments",
                         "sampledImageColorSampleCounts",
                         "sampledImageIntegerSampleCounts",
                         "sampledImageDepthSampleCounts",
                         "sampledImageStencilSampleCounts",
                         "storageImageSampleCounts",
                         "discreteQueuePriorities",
                         "optimalBufferCopyOffsetAlignment",
                         "optimalBufferCopyRowPitchAlignment",
                         "nonCoherentAtomSize"};

constexpr Name kSparseProperties[]{"residencyStandard2DBlockShape", "residencyStandard2DMultisampleBlockShape",
                                   "residencyStandard3DBlockShape", "residencyAlignedMipSize",
                                   "residencyNonResidentStrict"};

constexpr Name kMaintenance3Properties[]{"maxPerSetDescriptors", "maxMemoryAllocationSize"};

constexpr Name kMaintenance4Properties[]{"maxBufferSize"};

constexpr Name kMaintenance5Properties[]{"earlyFragmentMultisampleCoverageAfterSampleCounting",
                                         "earlyFragmentSampleMaskTestBeforeSampleCounting",
                                         "depthStencilSwizzleOneSupport",
                                         "polygonModePointSize",
                                         "nonStrictSinglePixelWideLinesUseParallelogram",
                                         "nonStrictWideLinesUseParallelogram"};

constexpr Name kMaintenance6Properties[]{"blockTexelViewCompatibleMultipleLayers",
                                         "maxCombinedImageSamplerDescriptorCount",
                                         "fragmentShadingRateClampCombinerInputs"};

constexpr Name kMaintenance7PropertiesKHR[]{"robustFragmentShadingRateAttachmentAccess",
                                            "separateDepthStencilAttachmentAccess",
                                            "maxDescriptorSetTotalUniformBuffersDynamic",
                                            "maxDescriptorSetTotalStorageBuffersDynamic",
                                            "maxDescriptorSetTotalBuffersDynamic",
                                            "maxDescriptorSetUpdateAfterBindTotalUniformBuffersDynamic",
                                            "maxDescriptorSetUpdateAfterBindTotalStorageBuffersDynamic",
                                            "maxDescriptorSetUpdateAfterBindTotalBuffersDynamic"};

constexpr Name kProtectedMemoryProperties[]{"protectedNoFault"};

constexpr Name kDescriptorIndexingProperties[]{"maxUpdateAfterBindDescriptorsInAllPools",
                                               "robustBufferAccessUpdateAfterBind",
                                               "maxPerStageDescriptorUpdateAfterBindSamplers",
                                               "maxPerStageDescriptorUpdateAfterBindUniformBuffers",
                                               "maxPerStageDescriptorUpdateAfterBindStorageBuffers",
                                               "maxPerStageDescriptorUpdateAfterBindSampledImages",
                                               "maxPerStageDescriptorUpdateAfterBindStorageImages",
                                               "maxPerStageDescriptorUpdateAfterBindInputAttachments",
                                               "maxPerStageUpdateAfterBindResources",
                                               "maxDescriptorSetUpdateAfterBindSamplers",
                                               "maxDescriptorSetUpdateAfterBindUniformBuffers",
                                               "maxDescriptorSetUpdateAfterBindUniformBuffersDynamic",
                                               "maxDescriptorSetUpdateAfterBindStorageBuffers",
                                               "maxDescriptorSetUpdateAfterBindStorageBuffersDynamic",
                                               "maxDescriptorSetUpdateAfterBindSampledImages",
                                               "maxDescriptorSetUpdateAfterBindStorageImages",
                                               "maxDescriptorSetUpdateAfterBindInputAttachments"};

constexpr Name kTimelineSemaphoreProperties[]{"maxTimelineSemaphoreValueDifference"};

constexpr Name kInlineUniformBlockProperties[]{"maxInlineUniformBlockSize", "maxPerStageDescriptorInlineUniformBlocks",
                                               "maxPerStageDescriptorUpdateAfterBindInlineUniformBlocks",
                                               "maxDescriptorSetInlineUniformBlocks",
                                               "maxDescriptorSetUpdateAfterBindInlineUniformBlocks"};

constexpr Name kTexelBufferAlignmentProperties[]{
    "storageTexelBufferOffsetAlignmentBytes", "storageTexelBufferOffsetSingleTexelAlignment",
    "uniformTexelBufferOffsetAlignmentBytes", "uniformTexelBufferOffsetSingleTexelAlignment"};

constexpr Name kPushDescriptorPropertiesKHR[]{"maxPushDescriptors"};

constexpr Name kAccelerationStructurePropertiesKHR[]{"maxGeometryCount",
                                                     "maxInstanceCount",
                                                     "maxPrimitiveCount",
                                                     "maxPerStageDescriptorAccelerationStructures",
                                                     "maxPerStageDescriptorUpdateAfterBindAccelerationStructures",
                                                     "maxDescriptorSetAccelerationStructures",
                                                     "maxDescriptorSetUpdateAfterBindAccelerationStructures",
                                                     "minAccelerationStructureScratchOffsetAlignment"};

constexpr Name kRayTracingPipelinePropertiesKHR[]{"shaderGroupHandleSize", "maxShaderGroupStride",
                                                  "shaderGroupBaseAlignment", "shaderGroupHandleAlignment"};

constexpr Name kExternalMemoryHostPropertiesEXT[]{"minImportedHostPointerAlignment"};

constexpr Name kDescriptorBufferPropertiesEXT[]{"combinedImageSamplerDescriptorSingleArray",
                                                "bufferlessPushDescriptors",
                                                "allowSamplerImageViewPostSubmitCreation",
                                                "descriptorBufferOffsetAlignment",
                                                "maxDescriptorBufferBindings",
                                                "maxResourceDescriptorBufferBindings",
                                                "maxSamplerDescriptorBufferBindings",
                                                "maxEmbeddedImmutableSamplerBindings",
                                                "maxEmbeddedImmutableSamplers",
                                                "bufferCaptureReplayDescriptorDataSize",
                                                "imageCaptureReplayDescriptorDataSize",
                                                "imageViewCaptureReplayDescriptorDataSize",
                                                "samplerCaptureReplayDescriptorDataSize",
                                                "accelerationStructureCaptureReplayDescriptorDataSize",
                                                "samplerDescriptorSize",
                                                "combinedImageSamplerDescriptorSize",
                                                "sampledImageDescriptorSize",
                                                "storageImageDescriptorSize",
                                                "uniformTexelBufferDescriptorSize",
                                                "robustUniformTexelBufferDescriptorSize",
                                                "storageTexelBufferDescriptorSize",
                                                "robustStorageTexelBufferDescriptorSize",
                                                "uniformBufferDescriptorSize",
                                                "robustUniformBufferDescriptorSize",
                                                "storageBufferDescriptorSize",
                                                "robustStorageBufferDescriptorSize",
                                                "inputAttachmentDescriptorSize",
                                                "accelerationStructureDescriptorSize",
                                                "maxSamplerDescriptorBufferRange",
                                                "maxResourceDescriptorBufferRange",
                                                "samplerDescriptorBufferAddressSpaceSize",
                                                "resourceDescriptorBufferAddressSpaceSize",
                                                "descriptorBufferAddressSpaceSize"};

constexpr Name kRobustness2PropertiesEXT[]{"robustStorageBufferAccessSizeAlignment",
                                           "robustUniformBufferAccessSizeAlignment"};

constexpr Name kTransformFeedbackPropertiesEXT[]{"maxTransformFeedbackBuffers", "maxTransformFeedbackBufferSize"};

constexpr Name kCustomBorderColorPropertiesEXT[]{"maxCustomBorderColorSamplers"};

constexpr Name kHostImageCopyProperties[]{"identicalMemoryTypeRequirements"};

constexpr Name kPortabilitySubsetPropertiesKHR[]{"minVertexInputBindingStrideAlignment"};

constexpr std::array<FactStructure, 22> kLimitStructures{{
    {"VkPhysicalDeviceLimits", 0, "", kLimits},
    {"VkPhysicalDeviceSparseProperties", 0, "", kSparseProperties},
    {"VkPhysicalDeviceMaintenance3Properties", 1, "VK_KHR_maintenance3", kMaintenance3Properties},
    {"VkPhysicalDeviceMaintenance4Properties", 3, "VK_KHR_maintenance4", kMaintenance4Properties},
    {"VkPhysicalDeviceMaintenance5Properties", kNoCoreVersion, "VK_KHR_maintenance5", kMaintenance5Properties},
    {"VkPhysicalDeviceMaintenance6Properties", kNoCoreVersion, "VK_KHR_maintenance6", kMaintenance6Properties},
    {"VkPhysicalDeviceMaintenance7PropertiesKHR", kNoCoreVersion, "VK_KHR_maintenance7", kMaintenance7PropertiesKHR},
    {"VkPhysicalDeviceProtectedMemoryProperties", 1, "", kProtectedMemoryProperties},
    {"VkPhysicalDeviceDescriptorIndexingProperties", 2, "VK_EXT_descriptor_indexing", kDescriptorIndexingProperties},
    {"VkPhysicalDeviceTimelineSemaphoreProperties", 2, "VK_KHR_timeline_semaphore", kTimelineSemaphoreProperties},
    {"VkPhysicalDeviceInlineUniformBlockProperties", 3, "VK_EXT_inline_uniform_block", kInlineUniformBlockProperties},
    {"VkPhysicalDeviceTexelBufferAlignmentProperties", 3, "VK_EXT_texel_buffer_alignment",
     kTexelBufferAlignmentProperties},
    {"VkPhysicalDevicePushDescriptorPropertiesKHR", kNoCoreVersion, "VK_KHR_push_descriptor",
     kPushDescriptorPropertiesKHR},
    {"VkPhysicalDeviceAccelerationStructurePropertiesKHR", kNoCoreVersion, "VK_KHR_acceleration_structure",
     kAccelerationStructurePropertiesKHR},
    {"VkPhysicalDeviceRayTracingPipelinePropertiesKHR", kNoCoreVersion, "VK_KHR_ray_tracing_pipeline",
     kRayTracingPipelinePropertiesKHR},
    {"VkPhysicalDeviceExternalMemoryHostPropertiesEXT", kNoCoreVersion, "VK_EXT_external_memory_host",
     kExternalMemoryHostPropertiesEXT},
    {"VkPhysicalDeviceDescriptorBufferPropertiesEXT", kNoCoreVersion, "VK_EXT_descriptor_buffer",
     kDescriptorBufferPropertiesEXT},
    {"VkPhysicalDeviceRobustness2PropertiesEXT", kNoCoreVersion, "VK_EXT_robustness2", kRobustness2PropertiesEXT},
    {"VkPhysicalDeviceTransformFeedbackPropertiesEXT", kNoCoreVersion, "VK_EXT_transform_feedback",
     kTransformFeedbackPropertiesEXT},
    {"VkPhysicalDeviceCustomBorderColorPropertiesEXT", kNoCoreVersion, "VK_EXT_custom_border_color",
     kCustomBorderColorPropertiesEXT},
    {"VkPhysicalDeviceHostImageCopyProperties", kNoCoreVersion, "VK_EXT_host_image_copy", kHostImageCopyProperties},
    {"VkPhysicalDevicePortabilitySubsetPropertiesKHR", kNoCoreVersion, "VK_KHR_portability_subset",
     kPortabilitySubsetPropertiesKHR},
}};

}  // namespace

std::span<const FactStructure> vulkan_limit_structures() {
    return kLimitStructures;
}

}  // namespace heapwright::imports
