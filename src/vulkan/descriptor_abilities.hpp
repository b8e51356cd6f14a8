// Asks a physical device what decides the form of its descriptors, and switches on what the chosen form needs.
#pragma once

#include "heapwright_generated/volk.hpp"

#include "device/descriptor_form.hpp"
#include "vulkan/instance.hpp"
#include "vulkan/physical_device.hpp"

namespace heapwright::vulkan {

// Feature structures that take part in the question and in vkCreateDevice. Not movable: chains point into it.
struct DescriptorFeatures {
    VkPhysicalDeviceDescriptorIndexingFeatures indexing{};
    VkPhysicalDeviceDescriptorBufferFeaturesEXT buffer{};
    VkPhysicalDeviceMutableDescriptorTypeFeaturesEXT mutable_type{};
    VkPhysicalDeviceDynamicRenderingFeatures rendering{};
    bool has_indexing = false;  // whether the structure may be asked about
    bool has_buffer = false;
    bool has_mutable_type = false;
    bool has_rendering = false;

    DescriptorFeatures() = default;
    DescriptorFeatures(const DescriptorFeatures&) = delete;
    DescriptorFeatures& operator=(const DescriptorFeatures&) = delete;

    // Of what the device has only what a plan may use stays on.
    void keep_only_used();
};

// `core` and `features` as vkGetPhysicalDeviceFeatures2 answered.
[[nodiscard]] device::DescriptorAbilities read_descriptor_abilities(const Instance& instance, VkPhysicalDevice physical,
                                                                    const VkPhysicalDeviceFeatures& core,
                                                                    const DescriptorFeatures& features,
                                                                    bool buffer_device_address);

}  // namespace heapwright::vulkan
