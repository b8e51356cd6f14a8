#include "vulkan/descriptor_slot.hpp"

namespace heapwright::vulkan {

VkDescriptorType vk_type(DescriptorType type) {
    switch (type) {
        case DescriptorType::kConstantBuffer: return VK_DESCRIPTOR_TYPE_UNIFORM_BUFFER;
        case DescriptorType::kReadBuffer:
        case DescriptorType::kWrittenBuffer: return VK_DESCRIPTOR_TYPE_STORAGE_BUFFER;
        case DescriptorType::kReadImage: return VK_DESCRIPTOR_TYPE_SAMPLED_IMAGE;
        case DescriptorType::kWrittenImage: return VK_DESCRIPTOR_TYPE_STORAGE_IMAGE;
        default: return VK_DESCRIPTOR_TYPE_SAMPLER;
    }
}

VkImageLayout image_layout(DescriptorType type) {
    return type == DescriptorType::kWrittenImage ? VK_IMAGE_LAYOUT_GENERAL : VK_IMAGE_LAYOUT_SHADER_READ_ONLY_OPTIMAL;
}

DescriptorInfo info_of(const DescriptorSlot& slot) {
    DescriptorInfo info;
    info.buffer = {.buffer = slot.buffer, .offset = slot.offset_bytes, .range = slot.size_bytes};
    if (slot.view) {
        info.image = {
            .sampler = VK_NULL_HANDLE, .imageView = slot.view->handle, .imageLayout = image_layout(slot.type)};
    }
    if (slot.sampler) info.image.sampler = slot.sampler->handle;
    return info;
}

VkWriteDescriptorSet write_of(DescriptorType type, const DescriptorInfo& info, VkDescriptorSet set,
                              std::uint32_t binding, std::uint32_t element) {
    return {.sType = VK_STRUCTURE_TYPE_WRITE_DESCRIPTOR_SET,
            .pNext = nullptr,
            .dstSet = set,
            .dstBinding = binding,
            .dstArrayElement = element,
            .descriptorCount = 1,
            .descriptorType = vk_type(type),
            .pImageInfo = &info.image,
            .pBufferInfo = &info.buffer,
            .pTexelBufferView = nullptr};
}

}  // namespace heapwright::vulkan
