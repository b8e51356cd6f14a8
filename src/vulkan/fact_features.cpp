// Features that decide which memory, resources and descriptors may be used.
#include "vulkan/fact_tables.hpp"
#include "vulkan/later_structures.hpp"

namespace heapwright::vulkan {
namespace {

constexpr FactMember kCore[] = {
    HEAPWRIGHT_FACT(VkPhysicalDeviceFeatures, robustBufferAccess),
    HEAPWRIGHT_FACT(VkPhysicalDeviceFeatures, imageCubeArray),
    HEAPWRIGHT_FACT(VkPhysicalDeviceFeatures, samplerAnisotropy),
    HEAPWRIGHT_FACT(VkPhysicalDeviceFeatures, textureCompressionETC2),
    HEAPWRIGHT_FACT(VkPhysicalDeviceFeatures, textureCompressionASTC_LDR),
    HEAPWRIGHT_FACT(VkPhysicalDeviceFeatures, textureCompressionBC),
    HEAPWRIGHT_FACT(VkPhysicalDeviceFeatures, shaderStorageImageExtendedFormats),
    HEAPWRIGHT_FACT(VkPhysicalDeviceFeatures, shaderStorageImageMultisample),
    HEAPWRIGHT_FACT(VkPhysicalDeviceFeatures, shaderInt64),
    HEAPWRIGHT_FACT(VkPhysicalDeviceFeatures, shaderResourceResidency),
    HEAPWRIGHT_FACT(VkPhysicalDeviceFeatures, sparseBinding),
    HEAPWRIGHT_FACT(VkPhysicalDeviceFeatures, sparseResidencyBuffer),
    HEAPWRIGHT_FACT(VkPhysicalDeviceFeatures, sparseResidencyImage2D),
    HEAPWRIGHT_FACT(VkPhysicalDeviceFeatures, sparseResidencyImage3D),
    HEAPWRIGHT_FACT(VkPhysicalDeviceFeatures, sparseResidency2Samples),
    HEAPWRIGHT_FACT(VkPhysicalDeviceFeatures, sparseResidency4Samples),
    HEAPWRIGHT_FACT(VkPhysicalDeviceFeatures, sparseResidency8Samples),
    HEAPWRIGHT_FACT(VkPhysicalDeviceFeatures, sparseResidency16Samples),
    HEAPWRIGHT_FACT(VkPhysicalDeviceFeatures, sparseResidencyAliased),
};

constexpr FactStructure kCoreStructure{"VkPhysicalDeviceFeatures",
                                       VK_STRUCTURE_TYPE_MAX_ENUM,
                                       sizeof(VkPhysicalDeviceFeatures),
                                       VK_API_VERSION_1_0,
                                       "",
                                       kCore};

constexpr FactMember kProtectedMemoryFeatures[] = {
    HEAPWRIGHT_FACT(VkPhysicalDeviceProtectedMemoryFeatures, protectedMemory),
};

constexpr FactMember kBufferDeviceAddressFeatures[] = {
    HEAPWRIGHT_FACT(VkPhysicalDeviceBufferDeviceAddressFeatures, bufferDeviceAddress),
    HEAPWRIGHT_FACT(VkPhysicalDeviceBufferDeviceAddressFeatures, bufferDeviceAddressCaptureReplay),
    HEAPWRIGHT_FACT(VkPhysicalDeviceBufferDeviceAddressFeatures, bufferDeviceAddressMultiDevice),
};

constexpr FactMember kDescriptorIndexingFeatures[] = {
    HEAPWRIGHT_FACT(VkPhysicalDeviceDescriptorIndexingFeatures, descriptorBindingUniformBufferUpdateAfterBind),
    HEAPWRIGHT_FACT(VkPhysicalDeviceDescriptorIndexingFeatures, descriptorBindingSampledImageUpdateAfterBind),
    HEAPWRIGHT_FACT(VkPhysicalDeviceDescriptorIndexingFeatures, descriptorBindingStorageImageUpdateAfterBind),
    HEAPWRIGHT_FACT(VkPhysicalDeviceDescriptorIndexingFeatures, descriptorBindingStorageBufferUpdateAfterBind),
    HEAPWRIGHT_FACT(VkPhysicalDeviceDescriptorIndexingFeatures, descriptorBindingUniformTexelBufferUpdateAfterBind),
    HEAPWRIGHT_FACT(VkPhysicalDeviceDescriptorIndexingFeatures, descriptorBindingStorageTexelBufferUpdateAfterBind),
    HEAPWRIGHT_FACT(VkPhysicalDeviceDescriptorIndexingFeatures, descriptorBindingUpdateUnusedWhilePending),
    HEAPWRIGHT_FACT(VkPhysicalDeviceDescriptorIndexingFeatures, descriptorBindingPartiallyBound),
    HEAPWRIGHT_FACT(VkPhysicalDeviceDescriptorIndexingFeatures, descriptorBindingVariableDescriptorCount),
    HEAPWRIGHT_FACT(VkPhysicalDeviceDescriptorIndexingFeatures, runtimeDescriptorArray),
};

constexpr FactMember kTimelineSemaphoreFeatures[] = {
    HEAPWRIGHT_FACT(VkPhysicalDeviceTimelineSemaphoreFeatures, timelineSemaphore),
};

constexpr FactMember kInlineUniformBlockFeatures[] = {
    HEAPWRIGHT_FACT(VkPhysicalDeviceInlineUniformBlockFeatures, inlineUniformBlock),
    HEAPWRIGHT_FACT(VkPhysicalDeviceInlineUniformBlockFeatures, descriptorBindingInlineUniformBlockUpdateAfterBind),
};

constexpr FactMember kSynchronization2Features[] = {
    HEAPWRIGHT_FACT(VkPhysicalDeviceSynchronization2Features, synchronization2),
};

constexpr FactMember kMaintenance4Features[] = {
    HEAPWRIGHT_FACT(VkPhysicalDeviceMaintenance4Features, maintenance4),
};

constexpr FactMember kMaintenance5Features[] = {
    HEAPWRIGHT_FACT(later::Maintenance5Features, maintenance5),
};

constexpr FactMember kMaintenance6Features[] = {
    HEAPWRIGHT_FACT(later::Maintenance6Features, maintenance6),
};

constexpr FactMember kMaintenance7FeaturesKHR[] = {
    HEAPWRIGHT_FACT(later::Maintenance7Features, maintenance7),
};

constexpr FactMember kMaintenance8FeaturesKHR[] = {
    HEAPWRIGHT_FACT(later::Maintenance8Features, maintenance8),
};

constexpr FactMember kMemoryPriorityFeaturesEXT[] = {
    HEAPWRIGHT_FACT(VkPhysicalDeviceMemoryPriorityFeaturesEXT, memoryPriority),
};

constexpr FactMember kPageableDeviceLocalMemoryFeaturesEXT[] = {
    HEAPWRIGHT_FACT(VkPhysicalDevicePageableDeviceLocalMemoryFeaturesEXT, pageableDeviceLocalMemory),
};

constexpr FactMember kCoherentMemoryFeaturesAMD[] = {
    HEAPWRIGHT_FACT(VkPhysicalDeviceCoherentMemoryFeaturesAMD, deviceCoherentMemory),
};

constexpr FactMember kDescriptorBufferFeaturesEXT[] = {
    HEAPWRIGHT_FACT(VkPhysicalDeviceDescriptorBufferFeaturesEXT, descriptorBuffer),
    HEAPWRIGHT_FACT(VkPhysicalDeviceDescriptorBufferFeaturesEXT, descriptorBufferCaptureReplay),
    HEAPWRIGHT_FACT(VkPhysicalDeviceDescriptorBufferFeaturesEXT, descriptorBufferImageLayoutIgnored),
    HEAPWRIGHT_FACT(VkPhysicalDeviceDescriptorBufferFeaturesEXT, descriptorBufferPushDescriptors),
};

constexpr FactMember kMutableDescriptorTypeFeaturesEXT[] = {
    HEAPWRIGHT_FACT(VkPhysicalDeviceMutableDescriptorTypeFeaturesEXT, mutableDescriptorType),
};

constexpr FactMember kImageCompressionControlFeaturesEXT[] = {
    HEAPWRIGHT_FACT(VkPhysicalDeviceImageCompressionControlFeaturesEXT, imageCompressionControl),
};

constexpr FactMember kHostImageCopyFeatures[] = {
    HEAPWRIGHT_FACT(later::HostImageCopyFeatures, hostImageCopy),
};

constexpr FactMember kPortabilitySubsetFeaturesKHR[] = {
    HEAPWRIGHT_FACT(later::PortabilitySubsetFeatures, constantAlphaColorBlendFactors),
    HEAPWRIGHT_FACT(later::PortabilitySubsetFeatures, events),
    HEAPWRIGHT_FACT(later::PortabilitySubsetFeatures, imageViewFormatReinterpretation),
    HEAPWRIGHT_FACT(later::PortabilitySubsetFeatures, imageViewFormatSwizzle),
    HEAPWRIGHT_FACT(later::PortabilitySubsetFeatures, imageView2DOn3DImage),
    HEAPWRIGHT_FACT(later::PortabilitySubsetFeatures, multisampleArrayImage),
    HEAPWRIGHT_FACT(later::PortabilitySubsetFeatures, mutableComparisonSamplers),
    HEAPWRIGHT_FACT(later::PortabilitySubsetFeatures, pointPolygons),
    HEAPWRIGHT_FACT(later::PortabilitySubsetFeatures, samplerMipLodBias),
    HEAPWRIGHT_FACT(later::PortabilitySubsetFeatures, separateStencilMaskRef),
    HEAPWRIGHT_FACT(later::PortabilitySubsetFeatures, shaderSampleRateInterpolationFunctions),
    HEAPWRIGHT_FACT(later::PortabilitySubsetFeatures, tessellationIsolines),
    HEAPWRIGHT_FACT(later::PortabilitySubsetFeatures, tessellationPointMode),
    HEAPWRIGHT_FACT(later::PortabilitySubsetFeatures, triangleFans),
    HEAPWRIGHT_FACT(later::PortabilitySubsetFeatures, vertexAttributeAccessBeyondStride),
};

constexpr FactStructure kFeatureStructures[] = {
    {"VkPhysicalDeviceProtectedMemoryFeatures", VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_PROTECTED_MEMORY_FEATURES,
     sizeof(VkPhysicalDeviceProtectedMemoryFeatures), VK_API_VERSION_1_1, "", kProtectedMemoryFeatures},
    {"VkPhysicalDeviceBufferDeviceAddressFeatures", VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_BUFFER_DEVICE_ADDRESS_FEATURES,
     sizeof(VkPhysicalDeviceBufferDeviceAddressFeatures), VK_API_VERSION_1_2, "VK_KHR_buffer_device_address",
     kBufferDeviceAddressFeatures},
    {"VkPhysicalDeviceDescriptorIndexingFeatures", VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_DESCRIPTOR_INDEXING_FEATURES,
     sizeof(VkPhysicalDeviceDescriptorIndexingFeatures), VK_API_VERSION_1_2, "VK_EXT_descriptor_indexing",
     kDescriptorIndexingFeatures},
    {"VkPhysicalDeviceTimelineSemaphoreFeatures", VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_TIMELINE_SEMAPHORE_FEATURES,
     sizeof(VkPhysicalDeviceTimelineSemaphoreFeatures), VK_API_VERSION_1_2, "VK_KHR_timeline_semaphore",
     kTimelineSemaphoreFeatures},
    {"VkPhysicalDeviceInlineUniformBlockFeatures", VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_INLINE_UNIFORM_BLOCK_FEATURES,
     sizeof(VkPhysicalDeviceInlineUniformBlockFeatures), VK_API_VERSION_1_3, "VK_EXT_inline_uniform_block",
     kInlineUniformBlockFeatures},
    {"VkPhysicalDeviceSynchronization2Features", VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_SYNCHRONIZATION_2_FEATURES,
     sizeof(VkPhysicalDeviceSynchronization2Features), VK_API_VERSION_1_3, "VK_KHR_synchronization2",
     kSynchronization2Features},
    {"VkPhysicalDeviceMaintenance4Features", VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_MAINTENANCE_4_FEATURES,
     sizeof(VkPhysicalDeviceMaintenance4Features), VK_API_VERSION_1_3, "VK_KHR_maintenance4", kMaintenance4Features},
    {"VkPhysicalDeviceMaintenance5Features", later::kMaintenance5Features, sizeof(later::Maintenance5Features), 0,
     "VK_KHR_maintenance5", kMaintenance5Features},
    {"VkPhysicalDeviceMaintenance6Features", later::kMaintenance6Features, sizeof(later::Maintenance6Features), 0,
     "VK_KHR_maintenance6", kMaintenance6Features},
    {"VkPhysicalDeviceMaintenance7FeaturesKHR", later::kMaintenance7Features, sizeof(later::Maintenance7Features), 0,
     "VK_KHR_maintenance7", kMaintenance7FeaturesKHR},
    {"VkPhysicalDeviceMaintenance8FeaturesKHR", later::kMaintenance8Features, sizeof(later::Maintenance8Features), 0,
     "VK_KHR_maintenance8", kMaintenance8FeaturesKHR},
    {"VkPhysicalDeviceMemoryPriorityFeaturesEXT", VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_MEMORY_PRIORITY_FEATURES_EXT,
     sizeof(VkPhysicalDeviceMemoryPriorityFeaturesEXT), 0, "VK_EXT_memory_priority", kMemoryPriorityFeaturesEXT},
    {"VkPhysicalDevicePageableDeviceLocalMemoryFeaturesEXT",
     VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_PAGEABLE_DEVICE_LOCAL_MEMORY_FEATURES_EXT,
     sizeof(VkPhysicalDevicePageableDeviceLocalMemoryFeaturesEXT), 0, "VK_EXT_pageable_device_local_memory",
     kPageableDeviceLocalMemoryFeaturesEXT},
    {"VkPhysicalDeviceCoherentMemoryFeaturesAMD", VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_COHERENT_MEMORY_FEATURES_AMD,
     sizeof(VkPhysicalDeviceCoherentMemoryFeaturesAMD), 0, "VK_AMD_device_coherent_memory", kCoherentMemoryFeaturesAMD},
    {"VkPhysicalDeviceDescriptorBufferFeaturesEXT", VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_DESCRIPTOR_BUFFER_FEATURES_EXT,
     sizeof(VkPhysicalDeviceDescriptorBufferFeaturesEXT), 0, "VK_EXT_descriptor_buffer", kDescriptorBufferFeaturesEXT},
    {"VkPhysicalDeviceMutableDescriptorTypeFeaturesEXT",
     VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_MUTABLE_DESCRIPTOR_TYPE_FEATURES_EXT,
     sizeof(VkPhysicalDeviceMutableDescriptorTypeFeaturesEXT), 0, "VK_EXT_mutable_descriptor_type",
     kMutableDescriptorTypeFeaturesEXT},
    {"VkPhysicalDeviceImageCompressionControlFeaturesEXT",
     VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_IMAGE_COMPRESSION_CONTROL_FEATURES_EXT,
     sizeof(VkPhysicalDeviceImageCompressionControlFeaturesEXT), 0, "VK_EXT_image_compression_control",
     kImageCompressionControlFeaturesEXT},
    {"VkPhysicalDeviceHostImageCopyFeatures", later::kHostImageCopyFeatures, sizeof(later::HostImageCopyFeatures), 0,
     "VK_EXT_host_image_copy", kHostImageCopyFeatures},
    {"VkPhysicalDevicePortabilitySubsetFeaturesKHR", later::kPortabilitySubsetFeatures,
     sizeof(later::PortabilitySubsetFeatures), 0, "VK_KHR_portability_subset", kPortabilitySubsetFeaturesKHR},
};

}  // namespace

const FactStructure& core_features_structure() {
    return kCoreStructure;
}

std::span<const FactStructure> feature_structures() {
    return kFeatureStructures;
}

}  // namespace heapwright::vulkan
