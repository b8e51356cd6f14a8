#include "vulkan/descriptor_abilities.hpp"

#include <algorithm>

namespace heapwright::vulkan {
namespace {

struct Properties {
    VkPhysicalDeviceDescriptorIndexingProperties indexing{};
    VkPhysicalDeviceDescriptorBufferPropertiesEXT buffer{};
    VkPhysicalDeviceProperties2 core{};

    Properties(const Instance& instance, VkPhysicalDevice physical, const DescriptorFeatures& features) {
        core.sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_PROPERTIES_2;
        indexing.sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_DESCRIPTOR_INDEXING_PROPERTIES;
        buffer.sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_DESCRIPTOR_BUFFER_PROPERTIES_EXT;
        if (features.has_indexing) core.pNext = &indexing;
        if (features.has_buffer) {
            buffer.pNext = core.pNext;
            core.pNext = &buffer;
        }
        instance.functions().get_properties2(physical, &core);
    }
    Properties(const Properties&) = delete;
    Properties& operator=(const Properties&) = delete;
};

}  // namespace

void DescriptorFeatures::keep_only_used() {
    const VkPhysicalDeviceDescriptorIndexingFeatures all = indexing;
    indexing = {.sType = all.sType, .pNext = all.pNext};
    indexing.descriptorBindingUniformBufferUpdateAfterBind = all.descriptorBindingUniformBufferUpdateAfterBind;
    indexing.descriptorBindingSampledImageUpdateAfterBind = all.descriptorBindingSampledImageUpdateAfterBind;
    indexing.descriptorBindingStorageImageUpdateAfterBind = all.descriptorBindingStorageImageUpdateAfterBind;
    indexing.descriptorBindingStorageBufferUpdateAfterBind = all.descriptorBindingStorageBufferUpdateAfterBind;
    indexing.descriptorBindingUpdateUnusedWhilePending = all.descriptorBindingUpdateUnusedWhilePending;
    indexing.descriptorBindingPartiallyBound = all.descriptorBindingPartiallyBound;
    indexing.descriptorBindingVariableDescriptorCount = all.descriptorBindingVariableDescriptorCount;
    indexing.runtimeDescriptorArray = all.runtimeDescriptorArray;
    buffer.descriptorBufferCaptureReplay = VK_FALSE;
    buffer.descriptorBufferImageLayoutIgnored = VK_FALSE;
    buffer.descriptorBufferPushDescriptors = VK_FALSE;
}

device::DescriptorAbilities read_descriptor_abilities(const Instance& instance, VkPhysicalDevice physical,
                                                      const VkPhysicalDeviceFeatures& core,
                                                      const DescriptorFeatures& features, bool buffer_device_address) {
    const Properties properties(instance, physical, features);
    const VkPhysicalDeviceLimits& limits = properties.core.properties.limits;
    const auto& indexing = properties.indexing;
    const auto& buffer = properties.buffer;
    device::DescriptorAbilities abilities;
    abilities.descriptor_buffer = features.buffer.descriptorBuffer == VK_TRUE && buffer_device_address;
    abilities.mutable_descriptors = features.mutable_type.mutableDescriptorType == VK_TRUE;
    abilities.runtime_arrays = features.indexing.runtimeDescriptorArray == VK_TRUE;
    abilities.variable_counts = features.indexing.descriptorBindingVariableDescriptorCount == VK_TRUE;
    abilities.partially_bound = features.indexing.descriptorBindingPartiallyBound == VK_TRUE;
    abilities.updates_while_pending = features.indexing.descriptorBindingUpdateUnusedWhilePending == VK_TRUE;
    abilities.indexed_uniform_buffers = core.shaderUniformBufferArrayDynamicIndexing == VK_TRUE;
    abilities.indexed_storage_buffers = core.shaderStorageBufferArrayDynamicIndexing == VK_TRUE;
    abilities.indexed_sampled_images = core.shaderSampledImageArrayDynamicIndexing == VK_TRUE;
    abilities.updated_uniform_buffers = features.indexing.descriptorBindingUniformBufferUpdateAfterBind == VK_TRUE;
    abilities.updated_storage_buffers = features.indexing.descriptorBindingStorageBufferUpdateAfterBind == VK_TRUE;
    abilities.updated_sampled_images = features.indexing.descriptorBindingSampledImageUpdateAfterBind == VK_TRUE;
    abilities.updated_storage_images = features.indexing.descriptorBindingStorageImageUpdateAfterBind == VK_TRUE;
    abilities.plain = {
        .samplers = std::min(limits.maxPerStageDescriptorSamplers, limits.maxDescriptorSetSamplers),
        .uniform_buffers = std::min(limits.maxPerStageDescriptorUniformBuffers, limits.maxDescriptorSetUniformBuffers),
        .storage_buffers = std::min(limits.maxPerStageDescriptorStorageBuffers, limits.maxDescriptorSetStorageBuffers),
        .sampled_images = std::min(limits.maxPerStageDescriptorSampledImages, limits.maxDescriptorSetSampledImages),
        .storage_images = std::min(limits.maxPerStageDescriptorStorageImages, limits.maxDescriptorSetStorageImages),
        .resources = limits.maxPerStageResources};
    abilities.updated = {.samplers = std::min(indexing.maxPerStageDescriptorUpdateAfterBindSamplers,
                                              indexing.maxDescriptorSetUpdateAfterBindSamplers),
                         .uniform_buffers = std::min(indexing.maxPerStageDescriptorUpdateAfterBindUniformBuffers,
                                                     indexing.maxDescriptorSetUpdateAfterBindUniformBuffers),
                         .storage_buffers = std::min(indexing.maxPerStageDescriptorUpdateAfterBindStorageBuffers,
                                                     indexing.maxDescriptorSetUpdateAfterBindStorageBuffers),
                         .sampled_images = std::min(indexing.maxPerStageDescriptorUpdateAfterBindSampledImages,
                                                    indexing.maxDescriptorSetUpdateAfterBindSampledImages),
                         .storage_images = std::min(indexing.maxPerStageDescriptorUpdateAfterBindStorageImages,
                                                    indexing.maxDescriptorSetUpdateAfterBindStorageImages),
                         .resources = indexing.maxPerStageUpdateAfterBindResources};
    abilities.updated_in_all_pools = indexing.maxUpdateAfterBindDescriptorsInAllPools;
    abilities.resource_range_bytes =
        std::min(buffer.maxResourceDescriptorBufferRange, buffer.resourceDescriptorBufferAddressSpaceSize);
    abilities.sampler_range_bytes =
        std::min(buffer.maxSamplerDescriptorBufferRange, buffer.samplerDescriptorBufferAddressSpaceSize);
    abilities.uniform_buffer_bytes = buffer.uniformBufferDescriptorSize;
    abilities.storage_buffer_bytes = buffer.storageBufferDescriptorSize;
    abilities.sampled_image_bytes = buffer.sampledImageDescriptorSize;
    abilities.storage_image_bytes = buffer.storageImageDescriptorSize;
    abilities.sampler_bytes = buffer.samplerDescriptorSize;
    abilities.live_samplers = limits.maxSamplerAllocationCount;
    return abilities;
}

}  // namespace heapwright::vulkan
