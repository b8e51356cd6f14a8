// What a descriptor points to, kept beside the API's own copy: a heap that is not shader-visible is a table of these.
// Image views and samplers live as long as a descriptor, or a recorded list, names them.
#pragma once

#include <atomic>
#include <cstdint>
#include <memory>

#include "heapwright_generated/volk.hpp"

#include "device/descriptor_checks.hpp"
#include "vulkan/open_device.hpp"

namespace heapwright::vulkan {

class ImageViewObject {
public:
    ImageViewObject(const OpenDevice& context, VkImageView created) : handle(created), context_(context) {}
    ImageViewObject(const ImageViewObject&) = delete;
    ImageViewObject& operator=(const ImageViewObject&) = delete;
    ~ImageViewObject() { context_.call.vkDestroyImageView(context_.handle, handle, nullptr); }

    const VkImageView handle;
    device::ResourceId image;
    VkExtent3D extent{};
    std::uint32_t mip_level = 0;
    std::uint32_t array_layer = 0;
    bool has_depth = false;
    bool has_stencil = false;

private:
    const OpenDevice& context_;
};

class SamplerObject {
public:
    // `live` counts the device's samplers; it was raised for this one.
    SamplerObject(const OpenDevice& context, VkSampler created, std::atomic<std::uint32_t>& live)
        : handle(created), context_(context), live_(live) {}
    SamplerObject(const SamplerObject&) = delete;
    SamplerObject& operator=(const SamplerObject&) = delete;
    ~SamplerObject() {
        context_.call.vkDestroySampler(context_.handle, handle, nullptr);
        live_.fetch_sub(1);
    }

    const VkSampler handle;

private:
    const OpenDevice& context_;
    std::atomic<std::uint32_t>& live_;
};

using device::DescriptorType;

struct DescriptorSlot {
    DescriptorType type = DescriptorType::kNever;
    VkBuffer buffer = VK_NULL_HANDLE;
    std::uint64_t offset_bytes = 0;
    std::uint64_t size_bytes = 0;
    std::shared_ptr<const ImageViewObject> view;
    std::shared_ptr<const SamplerObject> sampler;
};

// The API's type; never for kNever, kRenderTarget and kDepthStencil.
[[nodiscard]] VkDescriptorType vk_type(DescriptorType type);

// The layout in which shaders meet the image.
[[nodiscard]] VkImageLayout image_layout(DescriptorType type);

// The structures that a write of the slot points to.
struct DescriptorInfo {
    VkDescriptorBufferInfo buffer{};
    VkDescriptorImageInfo image{};
};
[[nodiscard]] DescriptorInfo info_of(const DescriptorSlot& slot);

// A write of `info`, which outlives it.
[[nodiscard]] VkWriteDescriptorSet write_of(DescriptorType type, const DescriptorInfo& info, VkDescriptorSet set,
                                            std::uint32_t binding, std::uint32_t element);

}  // namespace heapwright::vulkan
