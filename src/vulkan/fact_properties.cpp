// Properties beside VkPhysicalDeviceLimits that decide sizes, alignments, counts and descriptors.
#include "vulkan/fact_tables.hpp"
#include "vulkan/later_structures.hpp"

namespace heapwright::vulkan {
namespace {

constexpr FactMember kMaintenance3Properties[] = {
    HEAPWRIGHT_FACT(VkPhysicalDeviceMaintenance3Properties, maxPerSetDescriptors),
    HEAPWRIGHT_FACT(VkPhysicalDeviceMaintenance3Properties, maxMemoryAllocationSize),
};

constexpr FactMember kMaintenance4Properties[] = {
    HEAPWRIGHT_FACT(VkPhysicalDeviceMaintenance4Properties, maxBufferSize),
};

constexpr FactMember kMaintenance5Properties[] = {
    HEAPWRIGHT_FACT(later::Maintenance5Properties, earlyFragmentMultisampleCoverageAfterSampleCounting),
    HEAPWRIGHT_FACT(later::Maintenance5Properties, earlyFragmentSampleMaskTestBeforeSampleCounting),
    HEAPWRIGHT_FACT(later::Maintenance5Properties, depthStencilSwizzleOneSupport),
    HEAPWRIGHT_FACT(later::Maintenance5Properties, polygonModePointSize),
    HEAPWRIGHT_FACT(later::Maintenance5Properties, nonStrictSinglePixelWideLinesUseParallelogram),
    HEAPWRIGHT_FACT(later::Maintenance5Properties, nonStrictWideLinesUseParallelogram),
};

constexpr FactMember kMaintenance6Properties[] = {
    HEAPWRIGHT_FACT(later::Maintenance6Properties, blockTexelViewCompatibleMultipleLayers),
    HEAPWRIGHT_FACT(later::Maintenance6Properties, maxCombinedImageSamplerDescriptorCount),
    HEAPWRIGHT_FACT(later::Maintenance6Properties, fragmentShadingRateClampCombinerInputs),
};

constexpr FactMember kMaintenance7PropertiesKHR[] = {
    HEAPWRIGHT_FACT(later::Maintenance7Properties, robustFragmentShadingRateAttachmentAccess),
    HEAPWRIGHT_FACT(later::Maintenance7Properties, separateDepthStencilAttachmentAccess),
    HEAPWRIGHT_FACT(later::Maintenance7Properties, maxDescriptorSetTotalUniformBuffersDynamic),
    HEAPWRIGHT_FACT(later::Maintenance7Properties, maxDescriptorSetTotalStorageBuffersDynamic),
    HEAPWRIGHT_FACT(later::Maintenance7Properties, maxDescriptorSetTotalBuffersDynamic),
    HEAPWRIGHT_FACT(later::Maintenance7Properties, maxDescriptorSetUpdateAfterBindTotalUniformBuffersDynamic),
    HEAPWRIGHT_FACT(later::Maintenance7Properties, maxDescriptorSetUpdateAfterBindTotalStorageBuffersDynamic),
    HEAPWRIGHT_FACT(later::Maintenance7Properties, maxDescriptorSetUpdateAfterBindTotalBuffersDynamic),
};

constexpr FactMember kProtectedMemoryProperties[] = {
    HEAPWRIGHT_FACT(VkPhysicalDeviceProtectedMemoryProperties, protectedNoFault),
};

constexpr FactMember kDescriptorIndexingProperties[] = {
    HEAPWRIGHT_FACT(VkPhysicalDeviceDescriptorIndexingProperties, maxUpdateAfterBindDescriptorsInAllPools),
    HEAPWRIGHT_FACT(VkPhysicalDeviceDescriptorIndexingProperties, robustBufferAccessUpdateAfterBind),
    HEAPWRIGHT_FACT(VkPhysicalDeviceDescriptorIndexingProperties, maxPerStageDescriptorUpdateAfterBindSamplers),
    HEAPWRIGHT_FACT(VkPhysicalDeviceDescriptorIndexingProperties, maxPerStageDescriptorUpdateAfterBindUniformBuffers),
    HEAPWRIGHT_FACT(VkPhysicalDeviceDescriptorIndexingProperties, maxPerStageDescriptorUpdateAfterBindStorageBuffers),
    HEAPWRIGHT_FACT(VkPhysicalDeviceDescriptorIndexingProperties, maxPerStageDescriptorUpdateAfterBindSampledImages),
    HEAPWRIGHT_FACT(VkPhysicalDeviceDescriptorIndexingProperties, maxPerStageDescriptorUpdateAfterBindStorageImages),
    HEAPWRIGHT_FACT(VkPhysicalDeviceDescriptorIndexingProperties, maxPerStageDescriptorUpdateAfterBindInputAttachments),
    HEAPWRIGHT_FACT(VkPhysicalDeviceDescriptorIndexingProperties, maxPerStageUpdateAfterBindResources),
    HEAPWRIGHT_FACT(VkPhysicalDeviceDescriptorIndexingProperties, maxDescriptorSetUpdateAfterBindSamplers),
    HEAPWRIGHT_FACT(VkPhysicalDeviceDescriptorIndexingProperties, maxDescriptorSetUpdateAfterBindUniformBuffers),
    HEAPWRIGHT_FACT(VkPhysicalDeviceDescriptorIndexingProperties, maxDescriptorSetUpdateAfterBindUniformBuffersDynamic),
    HEAPWRIGHT_FACT(VkPhysicalDeviceDescriptorIndexingProperties, maxDescriptorSetUpdateAfterBindStorageBuffers),
    HEAPWRIGHT_FACT(VkPhysicalDeviceDescriptorIndexingProperties, maxDescriptorSetUpdateAfterBindStorageBuffersDynamic),
    HEAPWRIGHT_FACT(VkPhysicalDeviceDescriptorIndexingProperties, maxDescriptorSetUpdateAfterBindSampledImages),
    HEAPWRIGHT_FACT(VkPhysicalDeviceDescriptorIndexingProperties, maxDescriptorSetUpdateAfterBindStorageImages),
    HEAPWRIGHT_FACT(VkPhysicalDeviceDescriptorIndexingProperties, maxDescriptorSetUpdateAfterBindInputAttachments),
};

constexpr FactMember kTimelineSemaphoreProperties[] = {
    HEAPWRIGHT_FACT(VkPhysicalDeviceTimelineSemaphoreProperties, maxTimelineSemaphoreValueDifference),
};

constexpr FactMember kInlineUniformBlockProperties[] = {
    HEAPWRIGHT_FACT(VkPhysicalDeviceInlineUniformBlockProperties, maxInlineUniformBlockSize),
    HEAPWRIGHT_FACT(VkPhysicalDeviceInlineUniformBlockProperties, maxPerStageDescriptorInlineUniformBlocks),
    HEAPWRIGHT_FACT(VkPhysicalDeviceInlineUniformBlockProperties,
                    maxPerStageDescriptorUpdateAfterBindInlineUniformBlocks),
    HEAPWRIGHT_FACT(VkPhysicalDeviceInlineUniformBlockProperties, maxDescriptorSetInlineUniformBlocks),
    HEAPWRIGHT_FACT(VkPhysicalDeviceInlineUniformBlockProperties, maxDescriptorSetUpdateAfterBindInlineUniformBlocks),
};

constexpr FactMember kTexelBufferAlignmentProperties[] = {
    HEAPWRIGHT_FACT(VkPhysicalDeviceTexelBufferAlignmentProperties, storageTexelBufferOffsetAlignmentBytes),
    HEAPWRIGHT_FACT(VkPhysicalDeviceTexelBufferAlignmentProperties, storageTexelBufferOffsetSingleTexelAlignment),
    HEAPWRIGHT_FACT(VkPhysicalDeviceTexelBufferAlignmentProperties, uniformTexelBufferOffsetAlignmentBytes),
    HEAPWRIGHT_FACT(VkPhysicalDeviceTexelBufferAlignmentProperties, uniformTexelBufferOffsetSingleTexelAlignment),
};

constexpr FactMember kPushDescriptorPropertiesKHR[] = {
    HEAPWRIGHT_FACT(VkPhysicalDevicePushDescriptorPropertiesKHR, maxPushDescriptors),
};

constexpr FactMember kAccelerationStructurePropertiesKHR[] = {
    HEAPWRIGHT_FACT(VkPhysicalDeviceAccelerationStructurePropertiesKHR, maxGeometryCount),
    HEAPWRIGHT_FACT(VkPhysicalDeviceAccelerationStructurePropertiesKHR, maxInstanceCount),
    HEAPWRIGHT_FACT(VkPhysicalDeviceAccelerationStructurePropertiesKHR, maxPrimitiveCount),
    HEAPWRIGHT_FACT(VkPhysicalDeviceAccelerationStructurePropertiesKHR, maxPerStageDescriptorAccelerationStructures),
    HEAPWRIGHT_FACT(VkPhysicalDeviceAccelerationStructurePropertiesKHR,
                    maxPerStageDescriptorUpdateAfterBindAccelerationStructures),
    HEAPWRIGHT_FACT(VkPhysicalDeviceAccelerationStructurePropertiesKHR, maxDescriptorSetAccelerationStructures),
    HEAPWRIGHT_FACT(VkPhysicalDeviceAccelerationStructurePropertiesKHR,
                    maxDescriptorSetUpdateAfterBindAccelerationStructures),
    HEAPWRIGHT_FACT(VkPhysicalDeviceAccelerationStructurePropertiesKHR, minAccelerationStructureScratchOffsetAlignment),
};

constexpr FactMember kRayTracingPipelinePropertiesKHR[] = {
    HEAPWRIGHT_FACT(VkPhysicalDeviceRayTracingPipelinePropertiesKHR, shaderGroupHandleSize),
    HEAPWRIGHT_FACT(VkPhysicalDeviceRayTracingPipelinePropertiesKHR, maxShaderGroupStride),
    HEAPWRIGHT_FACT(VkPhysicalDeviceRayTracingPipelinePropertiesKHR, shaderGroupBaseAlignment),
    HEAPWRIGHT_FACT(VkPhysicalDeviceRayTracingPipelinePropertiesKHR, shaderGroupHandleAlignment),
};

constexpr FactMember kExternalMemoryHostPropertiesEXT[] = {
    HEAPWRIGHT_FACT(VkPhysicalDeviceExternalMemoryHostPropertiesEXT, minImportedHostPointerAlignment),
};

constexpr FactMember kDescriptorBufferPropertiesEXT[] = {
    HEAPWRIGHT_FACT(VkPhysicalDeviceDescriptorBufferPropertiesEXT, combinedImageSamplerDescriptorSingleArray),
    HEAPWRIGHT_FACT(VkPhysicalDeviceDescriptorBufferPropertiesEXT, bufferlessPushDescriptors),
    HEAPWRIGHT_FACT(VkPhysicalDeviceDescriptorBufferPropertiesEXT, allowSamplerImageViewPostSubmitCreation),
    HEAPWRIGHT_FACT(VkPhysicalDeviceDescriptorBufferPropertiesEXT, descriptorBufferOffsetAlignment),
    HEAPWRIGHT_FACT(VkPhysicalDeviceDescriptorBufferPropertiesEXT, maxDescriptorBufferBindings),
    HEAPWRIGHT_FACT(VkPhysicalDeviceDescriptorBufferPropertiesEXT, maxResourceDescriptorBufferBindings),
    HEAPWRIGHT_FACT(VkPhysicalDeviceDescriptorBufferPropertiesEXT, maxSamplerDescriptorBufferBindings),
    HEAPWRIGHT_FACT(VkPhysicalDeviceDescriptorBufferPropertiesEXT, maxEmbeddedImmutableSamplerBindings),
    HEAPWRIGHT_FACT(VkPhysicalDeviceDescriptorBufferPropertiesEXT, maxEmbeddedImmutableSamplers),
    HEAPWRIGHT_FACT(VkPhysicalDeviceDescriptorBufferPropertiesEXT, bufferCaptureReplayDescriptorDataSize),
    HEAPWRIGHT_FACT(VkPhysicalDeviceDescriptorBufferPropertiesEXT, imageCaptureReplayDescriptorDataSize),
    HEAPWRIGHT_FACT(VkPhysicalDeviceDescriptorBufferPropertiesEXT, imageViewCaptureReplayDescriptorDataSize),
    HEAPWRIGHT_FACT(VkPhysicalDeviceDescriptorBufferPropertiesEXT, samplerCaptureReplayDescriptorDataSize),
    HEAPWRIGHT_FACT(VkPhysicalDeviceDescriptorBufferPropertiesEXT,
                    accelerationStructureCaptureReplayDescriptorDataSize),
    HEAPWRIGHT_FACT(VkPhysicalDeviceDescriptorBufferPropertiesEXT, samplerDescriptorSize),
    HEAPWRIGHT_FACT(VkPhysicalDeviceDescriptorBufferPropertiesEXT, combinedImageSamplerDescriptorSize),
    HEAPWRIGHT_FACT(VkPhysicalDeviceDescriptorBufferPropertiesEXT, sampledImageDescriptorSize),
    HEAPWRIGHT_FACT(VkPhysicalDeviceDescriptorBufferPropertiesEXT, storageImageDescriptorSize),
    HEAPWRIGHT_FACT(VkPhysicalDeviceDescriptorBufferPropertiesEXT, uniformTexelBufferDescriptorSize),
    HEAPWRIGHT_FACT(VkPhysicalDeviceDescriptorBufferPropertiesEXT, robustUniformTexelBufferDescriptorSize),
    HEAPWRIGHT_FACT(VkPhysicalDeviceDescriptorBufferPropertiesEXT, storageTexelBufferDescriptorSize),
    HEAPWRIGHT_FACT(VkPhysicalDeviceDescriptorBufferPropertiesEXT, robustStorageTexelBufferDescriptorSize),
    HEAPWRIGHT_FACT(VkPhysicalDeviceDescriptorBufferPropertiesEXT, uniformBufferDescriptorSize),
    HEAPWRIGHT_FACT(VkPhysicalDeviceDescriptorBufferPropertiesEXT, robustUniformBufferDescriptorSize),
    HEAPWRIGHT_FACT(VkPhysicalDeviceDescriptorBufferPropertiesEXT, storageBufferDescriptorSize),
    HEAPWRIGHT_FACT(VkPhysicalDeviceDescriptorBufferPropertiesEXT, robustStorageBufferDescriptorSize),
    HEAPWRIGHT_FACT(VkPhysicalDeviceDescriptorBufferPropertiesEXT, inputAttachmentDescriptorSize),
    HEAPWRIGHT_FACT(VkPhysicalDeviceDescriptorBufferPropertiesEXT, accelerationStructureDescriptorSize),
    HEAPWRIGHT_FACT(VkPhysicalDeviceDescriptorBufferPropertiesEXT, maxSamplerDescriptorBufferRange),
    HEAPWRIGHT_FACT(VkPhysicalDeviceDescriptorBufferPropertiesEXT, maxResourceDescriptorBufferRange),
    HEAPWRIGHT_FACT(VkPhysicalDeviceDescriptorBufferPropertiesEXT, samplerDescriptorBufferAddressSpaceSize),
    HEAPWRIGHT_FACT(VkPhysicalDeviceDescriptorBufferPropertiesEXT, resourceDescriptorBufferAddressSpaceSize),
    HEAPWRIGHT_FACT(VkPhysicalDeviceDescriptorBufferPropertiesEXT, descriptorBufferAddressSpaceSize),
};

constexpr FactMember kRobustness2PropertiesEXT[] = {
    HEAPWRIGHT_FACT(VkPhysicalDeviceRobustness2PropertiesEXT, robustStorageBufferAccessSizeAlignment),
    HEAPWRIGHT_FACT(VkPhysicalDeviceRobustness2PropertiesEXT, robustUniformBufferAccessSizeAlignment),
};

constexpr FactMember kTransformFeedbackPropertiesEXT[] = {
    HEAPWRIGHT_FACT(VkPhysicalDeviceTransformFeedbackPropertiesEXT, maxTransformFeedbackBuffers),
    HEAPWRIGHT_FACT(VkPhysicalDeviceTransformFeedbackPropertiesEXT, maxTransformFeedbackBufferSize),
};

constexpr FactMember kCustomBorderColorPropertiesEXT[] = {
    HEAPWRIGHT_FACT(VkPhysicalDeviceCustomBorderColorPropertiesEXT, maxCustomBorderColorSamplers),
};

constexpr FactMember kHostImageCopyProperties[] = {
    HEAPWRIGHT_FACT(later::HostImageCopyProperties, identicalMemoryTypeRequirements),
};

constexpr FactMember kPortabilitySubsetPropertiesKHR[] = {
    HEAPWRIGHT_FACT(later::PortabilitySubsetProperties, minVertexInputBindingStrideAlignment),
};

constexpr FactStructure kPropertyStructures[] = {
    {"VkPhysicalDeviceMaintenance3Properties", VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_MAINTENANCE_3_PROPERTIES,
     sizeof(VkPhysicalDeviceMaintenance3Properties), VK_API_VERSION_1_1, "VK_KHR_maintenance3",
     kMaintenance3Properties},
    {"VkPhysicalDeviceMaintenance4Properties", VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_MAINTENANCE_4_PROPERTIES,
     sizeof(VkPhysicalDeviceMaintenance4Properties), VK_API_VERSION_1_3, "VK_KHR_maintenance4",
     kMaintenance4Properties},
    {"VkPhysicalDeviceMaintenance5Properties", later::kMaintenance5Properties, sizeof(later::Maintenance5Properties), 0,
     "VK_KHR_maintenance5", kMaintenance5Properties},
    {"VkPhysicalDeviceMaintenance6Properties", later::kMaintenance6Properties, sizeof(later::Maintenance6Properties), 0,
     "VK_KHR_maintenance6", kMaintenance6Properties},
    {"VkPhysicalDeviceMaintenance7PropertiesKHR", later::kMaintenance7Properties, sizeof(later::Maintenance7Properties),
     0, "VK_KHR_maintenance7", kMaintenance7PropertiesKHR},
    {"VkPhysicalDeviceProtectedMemoryProperties", VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_PROTECTED_MEMORY_PROPERTIES,
     sizeof(VkPhysicalDeviceProtectedMemoryProperties), VK_API_VERSION_1_1, "", kProtectedMemoryProperties},
    {"VkPhysicalDeviceDescriptorIndexingProperties", VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_DESCRIPTOR_INDEXING_PROPERTIES,
     sizeof(VkPhysicalDeviceDescriptorIndexingProperties), VK_API_VERSION_1_2, "VK_EXT_descriptor_indexing",
     kDescriptorIndexingProperties},
    {"VkPhysicalDeviceTimelineSemaphoreProperties", VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_TIMELINE_SEMAPHORE_PROPERTIES,
     sizeof(VkPhysicalDeviceTimelineSemaphoreProperties), VK_API_VERSION_1_2, "VK_KHR_timeline_semaphore",
     kTimelineSemaphoreProperties},
    {"VkPhysicalDeviceInlineUniformBlockProperties", VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_INLINE_UNIFORM_BLOCK_PROPERTIES,
     sizeof(VkPhysicalDeviceInlineUniformBlockProperties), VK_API_VERSION_1_3, "VK_EXT_inline_uniform_block",
     kInlineUniformBlockProperties},
    {"VkPhysicalDeviceTexelBufferAlignmentProperties",
     VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_TEXEL_BUFFER_ALIGNMENT_PROPERTIES,
     sizeof(VkPhysicalDeviceTexelBufferAlignmentProperties), VK_API_VERSION_1_3, "VK_EXT_texel_buffer_alignment",
     kTexelBufferAlignmentProperties},
    {"VkPhysicalDevicePushDescriptorPropertiesKHR", VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_PUSH_DESCRIPTOR_PROPERTIES_KHR,
     sizeof(VkPhysicalDevicePushDescriptorPropertiesKHR), 0, "VK_KHR_push_descriptor", kPushDescriptorPropertiesKHR},
    {"VkPhysicalDeviceAccelerationStructurePropertiesKHR",
     VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_ACCELERATION_STRUCTURE_PROPERTIES_KHR,
     sizeof(VkPhysicalDeviceAccelerationStructurePropertiesKHR), 0, "VK_KHR_acceleration_structure",
     kAccelerationStructurePropertiesKHR},
    {"VkPhysicalDeviceRayTracingPipelinePropertiesKHR",
     VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_RAY_TRACING_PIPELINE_PROPERTIES_KHR,
     sizeof(VkPhysicalDeviceRayTracingPipelinePropertiesKHR), 0, "VK_KHR_ray_tracing_pipeline",
     kRayTracingPipelinePropertiesKHR},
    {"VkPhysicalDeviceExternalMemoryHostPropertiesEXT",
     VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_EXTERNAL_MEMORY_HOST_PROPERTIES_EXT,
     sizeof(VkPhysicalDeviceExternalMemoryHostPropertiesEXT), 0, "VK_EXT_external_memory_host",
     kExternalMemoryHostPropertiesEXT},
    {"VkPhysicalDeviceDescriptorBufferPropertiesEXT",
     VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_DESCRIPTOR_BUFFER_PROPERTIES_EXT,
     sizeof(VkPhysicalDeviceDescriptorBufferPropertiesEXT), 0, "VK_EXT_descriptor_buffer",
     kDescriptorBufferPropertiesEXT},
    {"VkPhysicalDeviceRobustness2PropertiesEXT", VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_ROBUSTNESS_2_PROPERTIES_EXT,
     sizeof(VkPhysicalDeviceRobustness2PropertiesEXT), 0, "VK_EXT_robustness2", kRobustness2PropertiesEXT},
    {"VkPhysicalDeviceTransformFeedbackPropertiesEXT",
     VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_TRANSFORM_FEEDBACK_PROPERTIES_EXT,
     sizeof(VkPhysicalDeviceTransformFeedbackPropertiesEXT), 0, "VK_EXT_transform_feedback",
     kTransformFeedbackPropertiesEXT},
    {"VkPhysicalDeviceCustomBorderColorPropertiesEXT",
     VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_CUSTOM_BORDER_COLOR_PROPERTIES_EXT,
     sizeof(VkPhysicalDeviceCustomBorderColorPropertiesEXT), 0, "VK_EXT_custom_border_color",
     kCustomBorderColorPropertiesEXT},
    {"VkPhysicalDeviceHostImageCopyProperties", later::kHostImageCopyProperties, sizeof(later::HostImageCopyProperties),
     0, "VK_EXT_host_image_copy", kHostImageCopyProperties},
    {"VkPhysicalDevicePortabilitySubsetPropertiesKHR", later::kPortabilitySubsetProperties,
     sizeof(later::PortabilitySubsetProperties), 0, "VK_KHR_portability_subset", kPortabilitySubsetPropertiesKHR},
};

}  // namespace

std::span<const FactStructure> property_structures() {
    return kPropertyStructures;
}

}  // namespace heapwright::vulkan
