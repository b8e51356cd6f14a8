// The names of the facts that decide something. A name is written as text where it is used, and the compiler holds it
// against the lists here: a misspelt one does not compile, where it would read as a fact that no device states. Tests
// hold the lists against what the probes ask for.
// Source: the specifications' own names, members of VkPhysicalDevice*Properties, VkPhysicalDevice*Features and
// D3D12_FEATURE_DATA_*. Constant data.
#pragma once

#include <string_view>

namespace heapwright::model {

inline constexpr const char* kVulkanFactNames[] = {
    "bufferDeviceAddress",
    "bufferImageGranularity",
    "descriptorBindingPartiallyBound",
    "descriptorBindingSampledImageUpdateAfterBind",
    "descriptorBindingStorageBufferUpdateAfterBind",
    "descriptorBindingStorageImageUpdateAfterBind",
    "descriptorBindingVariableDescriptorCount",
    "descriptorBuffer",
    "maintenance4",
    "maxBufferSize",
    "maxDescriptorSetSampledImages",
    "maxDescriptorSetSamplers",
    "maxDescriptorSetStorageBuffers",
    "maxDescriptorSetStorageImages",
    "maxDescriptorSetUpdateAfterBindSampledImages",
    "maxDescriptorSetUpdateAfterBindSamplers",
    "maxDescriptorSetUpdateAfterBindStorageBuffers",
    "maxDescriptorSetUpdateAfterBindStorageImages",
    "maxImageArrayLayers",
    "maxImageDimension1D",
    "maxImageDimension2D",
    "maxImageDimension3D",
    "maxImageDimensionCube",
    "maxMemoryAllocationCount",
    "maxMemoryAllocationSize",
    "maxPerSetDescriptors",
    "maxPerStageDescriptorSampledImages",
    "maxPerStageDescriptorSamplers",
    "maxPerStageDescriptorStorageBuffers",
    "maxPerStageDescriptorStorageImages",
    "maxPerStageDescriptorUpdateAfterBindSampledImages",
    "maxPerStageDescriptorUpdateAfterBindSamplers",
    "maxPerStageDescriptorUpdateAfterBindStorageBuffers",
    "maxPerStageDescriptorUpdateAfterBindStorageImages",
    "maxPerStageResources",
    "maxPerStageUpdateAfterBindResources",
    "maxSamplerAllocationCount",
    "maxStorageBufferRange",
    "maxTexelBufferElements",
    "maxUniformBufferRange",
    "maxUpdateAfterBindDescriptorsInAllPools",
    "memoryPriority",
    "minImportedHostPointerAlignment",
    "minMemoryMapAlignment",
    "minStorageBufferOffsetAlignment",
    "minTexelBufferOffsetAlignment",
    "minUniformBufferOffsetAlignment",
    "mutableDescriptorType",
    "nonCoherentAtomSize",
    "optimalBufferCopyOffsetAlignment",
    "optimalBufferCopyRowPitchAlignment",
    "runtimeDescriptorArray",
    "textureCompressionASTC_LDR",
    "textureCompressionBC",
    "textureCompressionETC2",
};

inline constexpr const char* kD3d12FactNames[] = {
    "MaxGPUVirtualAddressBitsPerResource",
    "MaxSamplerDescriptorHeapSize",
    "MaxSamplerDescriptorHeapSizeWithStaticSamplers",
    "MaxViewDescriptorHeapSize",
    "RaytracingTier",
};

// The kinds of descriptor heaps name what the probe found out by creating them.
inline constexpr const char* kD3d12HeapFactNames[] = {
    "D3D12_DESCRIPTOR_HEAP_TYPE_CBV_SRV_UAV",
    "D3D12_DESCRIPTOR_HEAP_TYPE_DSV",
    "D3D12_DESCRIPTOR_HEAP_TYPE_RTV",
    "D3D12_DESCRIPTOR_HEAP_TYPE_SAMPLER",
};

class FactName {
public:
    // Implicit, so that a literal can stand wherever a fact is named.
    consteval FactName(const char* name) : text_(name) {
        if (!is_listed(text_)) this_name_is_in_no_list_of_facts();
    }

    // A name that is made while the program runs; nothing holds it to the lists.
    [[nodiscard]] static constexpr FactName made(std::string_view name) { return FactName(name, 0); }

    [[nodiscard]] constexpr std::string_view text() const { return text_; }

private:
    constexpr FactName(std::string_view name, int) : text_(name) {}

    static void this_name_is_in_no_list_of_facts();  // not constexpr, nor defined: reaching it is the error

    [[nodiscard]] static constexpr bool is_listed(std::string_view name) {
        for (const char* listed : kVulkanFactNames) {
            if (name == listed) return true;
        }
        for (const char* listed : kD3d12FactNames) {
            if (name == listed) return true;
        }
        for (const char* listed : kD3d12HeapFactNames) {
            if (name == listed) return true;
        }
        return false;
    }

    std::string_view text_;
};

}  // namespace heapwright::model
