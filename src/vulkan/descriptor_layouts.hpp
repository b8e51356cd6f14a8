// The set and pipeline layouts of a device's form of descriptors, made once: they do not depend on a heap's capacity
// (arrays of a variable count). Also the static sampler. Read-only after creation and so thread-safe.
//
// Sets of a pipeline, by form:
//   one array of mutable descriptors:  0 resources, 1 sampler
//   an array for each type:            0 constant buffers (or the table's two), 1 storage buffers, 2 images, 3 sampler
//   pooled sets:                       0 both tables, 1 sampler
// Arrays of storage images are in a set that no program of ours binds.
// Beside it: what decides the form of a device's descriptors.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <vector>

#include "device/descriptor_form.hpp"
#include "heapwright/core/result.hpp"
#include "heapwright_generated/volk.hpp"
#include "vulkan/descriptor_slot.hpp"
#include "vulkan/instance.hpp"
#include "vulkan/open_device.hpp"
#include "vulkan/physical_device.hpp"

namespace heapwright::vulkan {

// An array of descriptors with the indices of a heap.
struct ArrayLayout {
    VkDescriptorType type = VK_DESCRIPTOR_TYPE_SAMPLER;  // or MUTABLE
    VkDescriptorSetLayout handle = VK_NULL_HANDLE;
    std::optional<std::uint32_t> set;  // of a pipeline
    std::uint64_t first_byte = 0;      // descriptor buffers: of element 0 behind the set's start
    std::uint64_t descriptor_bytes = 0;
};

class DescriptorLayouts {
public:
    // Lowers the plan's limits where the driver supports fewer descriptors in one set than it states.
    [[nodiscard]] static Result<std::unique_ptr<DescriptorLayouts>> create(OpenDevice& context);
    DescriptorLayouts(const DescriptorLayouts&) = delete;
    DescriptorLayouts& operator=(const DescriptorLayouts&) = delete;
    ~DescriptorLayouts();

    // Empty for pooled sets.
    [[nodiscard]] std::span<const ArrayLayout> arrays(device::DescriptorHeapKind kind) const {
        return kind == device::DescriptorHeapKind::kSampler ? std::span(samplers_) : std::span(resources_);
    }
    // Null where the type has no array in this form.
    [[nodiscard]] const ArrayLayout* array_of(DescriptorType type) const;

    // Pooled sets: six bindings of both tables; constant buffers apart: their two. Set 0 of a pipeline.
    [[nodiscard]] VkDescriptorSetLayout table() const { return table_; }
    [[nodiscard]] VkDescriptorSetLayout one_sampler() const { return one_sampler_; }
    [[nodiscard]] std::uint32_t sampler_set() const { return sampler_set_; }
    // Null with descriptor buffers, where the static sampler is a descriptor too.
    [[nodiscard]] VkDescriptorSet static_sampler_set() const { return static_sampler_set_; }
    // With descriptor buffers: what the set of the static sampler takes, as the driver says.
    [[nodiscard]] std::uint64_t static_sampler_set_bytes() const { return static_sampler_set_bytes_; }
    [[nodiscard]] VkSampler static_sampler() const { return static_sampler_; }
    [[nodiscard]] VkPipelineLayout pipeline(bool static_sampler) const {
        return static_sampler ? static_pipeline_ : sampled_pipeline_;
    }

private:
    explicit DescriptorLayouts(OpenDevice& context) : context_(context) {}

    [[nodiscard]] Status create_arrays();
    [[nodiscard]] Status create_tables();
    [[nodiscard]] Status create_static_sampler();
    [[nodiscard]] Status create_pipelines();
    [[nodiscard]] Result<ArrayLayout> create_array(VkDescriptorType type, std::optional<std::uint32_t> set,
                                                   std::optional<std::uint64_t>& limit);
    [[nodiscard]] Result<VkDescriptorSetLayout> create_layout(std::span<const VkDescriptorSetLayoutBinding> bindings,
                                                              VkDescriptorSetLayoutCreateFlags flags,
                                                              const void* chain);
    [[nodiscard]] Result<VkPipelineLayout> create_pipeline(VkDescriptorSetLayout sampler);

    OpenDevice& context_;
    std::vector<VkDescriptorSetLayout> layouts_;  // all that are owned
    std::vector<ArrayLayout> resources_;
    std::vector<ArrayLayout> samplers_;  // one, or none
    VkDescriptorSetLayout table_ = VK_NULL_HANDLE;
    VkDescriptorSetLayout one_sampler_ = VK_NULL_HANDLE;
    std::uint32_t sampler_set_ = 0;
    VkSampler static_sampler_ = VK_NULL_HANDLE;
    VkDescriptorSetLayout static_sampler_layout_ = VK_NULL_HANDLE;
    VkDescriptorPool static_sampler_pool_ = VK_NULL_HANDLE;
    VkDescriptorSet static_sampler_set_ = VK_NULL_HANDLE;
    std::uint64_t static_sampler_set_bytes_ = 0;
    VkPipelineLayout sampled_pipeline_ = VK_NULL_HANDLE;
    VkPipelineLayout static_pipeline_ = VK_NULL_HANDLE;
};

// The four words of push constants that every program takes.
struct PushWords {
    std::uint32_t static_table = 0;
    std::uint32_t dynamic_table = 0;
    std::uint32_t sampler = 0;
    std::uint32_t output_word = 0;
};

// What an array of mutable descriptors may hold; for VkMutableDescriptorTypeCreateInfoEXT.
[[nodiscard]] const VkMutableDescriptorTypeListEXT& mutable_types();

// nearest/linear and addressing as the seam's description says; LOD and anisotropy within the device's limits.
[[nodiscard]] VkSamplerCreateInfo sampler_info(const OpenDevice& context, const device::SamplerDescription& sampler);

// Asks a physical device what decides the form of its descriptors, and switches on what the chosen form needs.

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
