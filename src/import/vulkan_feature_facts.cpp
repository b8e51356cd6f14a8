// Features that decide which memory, resources and descriptors may be used.
#include "import/vulkan_facts.hpp"

#include <array>

namespace heapwright::imports {
namespace {

using Name = std::string_view;

constexpr Name kFeatures[]{"robustBufferAccess",
                           "imageCubeArray",
                           "samplerAnisotropy",
                           "textureCompressionETC2",
                           "textureCompressionASTC_LDR",
                           "textureCompressionBC",
                           "shaderStorageImageExtendedFormats",
                           "shaderStorageImageMultisample",
                           "shaderInt64",
                           "shaderResourceResidency",
                           "sparseBinding",
                           "sparseResidencyBuffer",
                           "sparseResidencyImage2D",
                           "sparseResidencyImage3D",
                           "sparseResidency2Samples",
                           "sparseResidency4Samples",
                           "sparseResidency8Samples",
                           "sparseResidency16Samples",
                           "sparseResidencyAliased"};

constexpr Name kProtectedMemoryFeatures[]{"protectedMemory"};

constexpr Name kBufferDeviceAddressFeatures[]{"bufferDeviceAddress", "bufferDeviceAddressCaptureReplay",
                                              "bufferDeviceAddressMultiDevice"};

constexpr Name kDescriptorIndexingFeatures[]{
    "descriptorBindingUniformBufferUpdateAfterBind",      "descriptorBindingSampledImageUpdateAfterBind",
    "descriptorBindingStorageImageUpdateAfterBind",       "descriptorBindingStorageBufferUpdateAfterBind",
    "descriptorBindingUniformTexelBufferUpdateAfterBind", "descriptorBindingStorageTexelBufferUpdateAfterBind",
    "descriptorBindingUpdateUnusedWhilePending",          "descriptorBindingPartiallyBound",
    "descriptorBindingVariableDescriptorCount",           "runtimeDescriptorArray"};

constexpr Name kTimelineSemaphoreFeatures[]{"timelineSemaphore"};

constexpr Name kInlineUniformBlockFeatures[]{"inlineUniformBlock",
                                             "descriptorBindingInlineUniformBlockUpdateAfterBind"};

constexpr Name kSynchronization2Features[]{"synchronization2"};

constexpr Name kMaintenance4Features[]{"maintenance4"};

constexpr Name kMaintenance5Features[]{"maintenance5"};

constexpr Name kMaintenance6Features[]{"maintenance6"};

constexpr Name kMaintenance7FeaturesKHR[]{"maintenance7"};

constexpr Name kMaintenance8FeaturesKHR[]{"maintenance8"};

constexpr Name kMemoryPriorityFeaturesEXT[]{"memoryPriority"};

constexpr Name kPageableDeviceLocalMemoryFeaturesEXT[]{"pageableDeviceLocalMemory"};

constexpr Name kCoherentMemoryFeaturesAMD[]{"deviceCoherentMemory"};

constexpr Name kDescriptorBufferFeaturesEXT[]{"descriptorBuffer", "descriptorBufferCaptureReplay",
                                              "descriptorBufferImageLayoutIgnored", "descriptorBufferPushDescriptors"};

constexpr Name kMutableDescriptorTypeFeaturesEXT[]{"mutableDescriptorType"};

constexpr Name kImageCompressionControlFeaturesEXT[]{"imageCompressionControl"};

constexpr Name kHostImageCopyFeatures[]{"hostImageCopy"};

constexpr Name kPortabilitySubsetFeaturesKHR[]{"constantAlphaColorBlendFactors",
                                               "events",
                                               "imageViewFormatReinterpretation",
                                               "imageViewFormatSwizzle",
                                               "imageView2DOn3DImage",
                                               "multisampleArrayImage",
                                               "mutableComparisonSamplers",
                                               "pointPolygons",
                                               "samplerMipLodBias",
                                               "separateStencilMaskRef",
                                               "shaderSampleRateInterpolationFunctions",
                                               "tessellationIsolines",
                                               "tessellationPointMode",
                                               "triangleFans",
                                               "vertexAttributeAccessBeyondStride"};

constexpr std::array<FactStructure, 20> kFeatureStructures{{
    {"VkPhysicalDeviceFeatures", 0, "", kFeatures},
    {"VkPhysicalDeviceProtectedMemoryFeatures", 1, "", kProtectedMemoryFeatures},
    {"VkPhysicalDeviceBufferDeviceAddressFeatures", 2, "VK_KHR_buffer_device_address", kBufferDeviceAddressFeatures},
    {"VkPhysicalDeviceDescriptorIndexingFeatures", 2, "VK_EXT_descriptor_indexing", kDescriptorIndexingFeatures},
    {"VkPhysicalDeviceTimelineSemaphoreFeatures", 2, "VK_KHR_timeline_semaphore", kTimelineSemaphoreFeatures},
    {"VkPhysicalDeviceInlineUniformBlockFeatures", 3, "VK_EXT_inline_uniform_block", kInlineUniformBlockFeatures},
    {"VkPhysicalDeviceSynchronization2Features", 3, "VK_KHR_synchronization2", kSynchronization2Features},
    {"VkPhysicalDeviceMaintenance4Features", 3, "VK_KHR_maintenance4", kMaintenance4Features},
    {"VkPhysicalDeviceMaintenance5Features", kNoCoreVersion, "VK_KHR_maintenance5", kMaintenance5Features},
    {"VkPhysicalDeviceMaintenance6Features", kNoCoreVersion, "VK_KHR_maintenance6", kMaintenance6Features},
    {"VkPhysicalDeviceMaintenance7FeaturesKHR", kNoCoreVersion, "VK_KHR_maintenance7", kMaintenance7FeaturesKHR},
    {"VkPhysicalDeviceMaintenance8FeaturesKHR", kNoCoreVersion, "VK_KHR_maintenance8", kMaintenance8FeaturesKHR},
    {"VkPhysicalDeviceMemoryPriorityFeaturesEXT", kNoCoreVersion, "VK_EXT_memory_priority", kMemoryPriorityFeaturesEXT},
    {"VkPhysicalDevicePageableDeviceLocalMemoryFeaturesEXT", kNoCoreVersion, "VK_EXT_pageable_device_local_memory",
     kPageableDeviceLocalMemoryFeaturesEXT},
    {"VkPhysicalDeviceCoherentMemoryFeaturesAMD", kNoCoreVersion, "VK_AMD_device_coherent_memory",
     kCoherentMemoryFeaturesAMD},
    {"VkPhysicalDeviceDescriptorBufferFeaturesEXT", kNoCoreVersion, "VK_EXT_descriptor_buffer",
     kDescriptorBufferFeaturesEXT},
    {"VkPhysicalDeviceMutableDescriptorTypeFeaturesEXT", kNoCoreVersion, "VK_EXT_mutable_descriptor_type",
     kMutableDescriptorTypeFeaturesEXT},
    {"VkPhysicalDeviceImageCompressionControlFeaturesEXT", kNoCoreVersion, "VK_EXT_image_compression_control",
     kImageCompressionControlFeaturesEXT},
    {"VkPhysicalDeviceHostImageCopyFeatures", kNoCoreVersion, "VK_EXT_host_image_copy", kHostImageCopyFeatures},
    {"VkPhysicalDevicePortabilitySubsetFeaturesKHR", kNoCoreVersion, "VK_KHR_portability_subset",
     kPortabilitySubsetFeaturesKHR},
}};

}  // namespace

std::span<const FactStructure> vulkan_feature_structures() {
    return kFeatureStructures;
}

}  // namespace heapwright::imports
