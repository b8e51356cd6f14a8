#include "import/vulkan_facts.hpp"

#include <algorithm>
#include <array>

#include <fmt/format.h>

#include "import/number_text.hpp"
#include "import/parts.hpp"

namespace heapwright::imports {

namespace {

constexpr std::array<std::string_view, 2> kPromotedSuffixes{"KHR", "EXT"};

bool provides(const model::DeviceReport& device, const FactStructure& structure) {
    if (structure.core_minor != kNoCoreVersion &&
        api_minor_version(device.identity.api_version) >= structure.core_minor) {
        return true;
    }
    return !structure.extension.empty() &&
           std::any_of(device.extensions.begin(), device.extensions.end(),
                       [&structure](const model::Extension& entry) { return entry.name == structure.extension; });
}

struct Target {
    std::string_view pointer;
    std::uint64_t largest;
    std::vector<model::Fact>& facts;
};

void collect(const FactStructure& structure, const FindMember& find, const Target& target,
             model::DeviceReport& device) {
    std::vector<std::string> missing;
    const std::size_t before = target.facts.size();
    for (const std::string_view member : structure.members) {
        const auto found = find(structure, member);
        if (!found) {
            missing.push_back(fmt::format("{}/{}/{}", target.pointer, structure.name, member));
        } else if (!found->value || *found->value > target.largest) {
            add_unreadable_value(device, fmt::format("{}/{}/{}", target.pointer, structure.name, member), found->where);
        } else {
            target.facts.push_back(
                {.group = std::string(structure.name), .name = std::string(member), .value = *found->value});
        }
    }
    if (target.facts.size() != before) {
        std::move(missing.begin(), missing.end(), std::back_inserter(device.absent));
    } else if (provides(device, structure)) {
        device.absent.push_back(fmt::format("{}/{}", target.pointer, structure.name));
    }
}

}  // namespace

void collect_limits(const FindMember& find, model::DeviceReport& device) {
    const Target target{"/limits", std::numeric_limits<std::uint64_t>::max(), device.limits};
    for (const FactStructure& structure : vulkan_limit_structures()) collect(structure, find, target, device);
}

void collect_features(const FindMember& find, model::DeviceReport& device) {
    const Target target{"/features", 1, device.features};
    for (const FactStructure& structure : vulkan_feature_structures()) collect(structure, find, target, device);
}

bool names_structure(std::string_view name, const FactStructure& structure) {
    if (name == structure.name) return true;
    // VK_EXT_buffer_device_address is another extension than the one that became core.
    if (structure.name == "VkPhysicalDeviceBufferDeviceAddressFeatures") return false;
    return without_suffix(name, kPromotedSuffixes) == without_suffix(structure.name, kPromotedSuffixes);
}

// The members of VkPhysicalDeviceLimits and of other properties that decide sizes, alignments, counts and descriptors.

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

// Features that decide which memory, resources and descriptors may be used.

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
