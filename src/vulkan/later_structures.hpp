// Structures that the specification has and Vulkan headers 1.3.239 lack, under names of our own so that newer headers
// do not collide. Layouts and numbers are the specification's.
// Source: Vulkan 1.4 specification; VK_KHR_maintenance5, 6, 7 and 8, VK_EXT_host_image_copy; VK_KHR_portability_subset
// (which the headers hide behind VK_ENABLE_BETA_EXTENSIONS).
#pragma once

#include <cstdint>

#include "heapwright_generated/volk.hpp"

namespace heapwright::vulkan::later {

inline constexpr auto kPortabilitySubsetFeatures = static_cast<VkStructureType>(1000163000);
inline constexpr auto kPortabilitySubsetProperties = static_cast<VkStructureType>(1000163001);
inline constexpr auto kHostImageCopyFeatures = static_cast<VkStructureType>(1000270000);
inline constexpr auto kHostImageCopyProperties = static_cast<VkStructureType>(1000270001);
inline constexpr auto kMaintenance5Features = static_cast<VkStructureType>(1000470000);
inline constexpr auto kMaintenance5Properties = static_cast<VkStructureType>(1000470001);
inline constexpr auto kMaintenance6Features = static_cast<VkStructureType>(1000545000);
inline constexpr auto kMaintenance6Properties = static_cast<VkStructureType>(1000545001);
inline constexpr auto kMaintenance7Features = static_cast<VkStructureType>(1000562000);
inline constexpr auto kMaintenance7Properties = static_cast<VkStructureType>(1000562001);
inline constexpr auto kLayeredApiPropertiesList = static_cast<VkStructureType>(1000562002);
inline constexpr auto kLayeredApiProperties = static_cast<VkStructureType>(1000562003);
inline constexpr auto kMaintenance8Features = static_cast<VkStructureType>(1000574000);

struct PortabilitySubsetProperties {
    VkStructureType sType;
    void* pNext;
    std::uint32_t minVertexInputBindingStrideAlignment;
};

struct PortabilitySubsetFeatures {
    VkStructureType sType;
    void* pNext;
    VkBool32 constantAlphaColorBlendFactors;
    VkBool32 events;
    VkBool32 imageViewFormatReinterpretation;
    VkBool32 imageViewFormatSwizzle;
    VkBool32 imageView2DOn3DImage;
    VkBool32 multisampleArrayImage;
    VkBool32 mutableComparisonSamplers;
    VkBool32 pointPolygons;
    VkBool32 samplerMipLodBias;
    VkBool32 separateStencilMaskRef;
    VkBool32 shaderSampleRateInterpolationFunctions;
    VkBool32 tessellationIsolines;
    VkBool32 tessellationPointMode;
    VkBool32 triangleFans;
    VkBool32 vertexAttributeAccessBeyondStride;
};

struct HostImageCopyFeatures {
    VkStructureType sType;
    void* pNext;
    VkBool32 hostImageCopy;
};

struct HostImageCopyProperties {
    VkStructureType sType;
    void* pNext;
    std::uint32_t copySrcLayoutCount;
    VkImageLayout* pCopySrcLayouts;  // null: only the count is wanted
    std::uint32_t copyDstLayoutCount;
    VkImageLayout* pCopyDstLayouts;
    std::uint8_t optimalTilingLayoutUUID[VK_UUID_SIZE];
    VkBool32 identicalMemoryTypeRequirements;
};

struct Maintenance5Features {
    VkStructureType sType;
    void* pNext;
    VkBool32 maintenance5;
};

struct Maintenance5Properties {
    VkStructureType sType;
    void* pNext;
    VkBool32 earlyFragmentMultisampleCoverageAfterSampleCounting;
    VkBool32 earlyFragmentSampleMaskTestBeforeSampleCounting;
    VkBool32 depthStencilSwizzleOneSupport;
    VkBool32 polygonModePointSize;
    VkBool32 nonStrictSinglePixelWideLinesUseParallelogram;
    VkBool32 nonStrictWideLinesUseParallelogram;
};

struct Maintenance6Features {
    VkStructureType sType;
    void* pNext;
    VkBool32 maintenance6;
};

struct Maintenance6Properties {
    VkStructureType sType;
    void* pNext;
    VkBool32 blockTexelViewCompatibleMultipleLayers;
    std::uint32_t maxCombinedImageSamplerDescriptorCount;
    VkBool32 fragmentShadingRateClampCombinerInputs;
};

struct Maintenance7Features {
    VkStructureType sType;
    void* pNext;
    VkBool32 maintenance7;
};

struct Maintenance7Properties {
    VkStructureType sType;
    void* pNext;
    VkBool32 robustFragmentShadingRateAttachmentAccess;
    VkBool32 separateDepthStencilAttachmentAccess;
    std::uint32_t maxDescriptorSetTotalUniformBuffersDynamic;
    std::uint32_t maxDescriptorSetTotalStorageBuffersDynamic;
    std::uint32_t maxDescriptorSetTotalBuffersDynamic;
    std::uint32_t maxDescriptorSetUpdateAfterBindTotalUniformBuffersDynamic;
    std::uint32_t maxDescriptorSetUpdateAfterBindTotalStorageBuffersDynamic;
    std::uint32_t maxDescriptorSetUpdateAfterBindTotalBuffersDynamic;
};

struct LayeredApiProperties {
    VkStructureType sType;
    void* pNext;
    std::uint32_t vendorID;
    std::uint32_t deviceID;
    std::int32_t layeredAPI;
    char deviceName[VK_MAX_PHYSICAL_DEVICE_NAME_SIZE];
};

struct LayeredApiPropertiesList {
    VkStructureType sType;
    void* pNext;
    std::uint32_t layeredApiCount;
    LayeredApiProperties* pLayeredApis;  // null: only the count is wanted
};

struct Maintenance8Features {
    VkStructureType sType;
    void* pNext;
    VkBool32 maintenance8;
};

}  // namespace heapwright::vulkan::later
