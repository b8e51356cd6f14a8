// A heap as a descriptor buffer (VK_EXT_descriptor_buffer): the arrays of the layouts one behind the other in mapped
// memory, descriptors written by the host.
#pragma once

#include "vulkan/descriptor_store.hpp"

namespace heapwright::vulkan {

// Where the arrays of a heap begin in one descriptor buffer, and how long it is.
struct BufferPlan {
    std::vector<std::uint64_t> offsets;
    std::uint64_t size_bytes = 0;
};

// Each array begins at a multiple of the offsets' alignment. Behind the last array's start lie at least
// `least_set_bytes`, rounded up to that alignment: a set whose layout is of that size (vkGetDescriptorSetLayoutSizeEXT)
// may be bound there, even where the driver's layout is larger than its descriptors
// (VUID-vkCmdSetDescriptorBufferOffsetsEXT-pOffsets-08062).
[[nodiscard]] BufferPlan plan_buffer(std::span<const ArrayLayout> arrays, std::uint32_t capacity,
                                     std::uint64_t offset_alignment, std::uint64_t least_set_bytes);

class DescriptorBufferStore final : public DescriptorStore {
public:
    [[nodiscard]] static Result<std::unique_ptr<DescriptorStore>> create(const OpenDevice& context,
                                                                         const DescriptorLayouts& layouts,
                                                                         MemoryAllocator& memory,
                                                                         const StoreRequest& request);
    // One descriptor: the layouts' static sampler.
    [[nodiscard]] static Result<std::unique_ptr<DescriptorStore>> create_static_sampler(
        const OpenDevice& context, const DescriptorLayouts& layouts, MemoryAllocator& memory);
    DescriptorBufferStore(const DescriptorBufferStore&) = delete;
    DescriptorBufferStore& operator=(const DescriptorBufferStore&) = delete;
    ~DescriptorBufferStore() override;

    void put(std::uint32_t first, std::span<const DescriptorSlot> slots) override;
    [[nodiscard]] VkDescriptorBufferBindingInfoEXT buffer() const override;
    [[nodiscard]] std::uint64_t offset_of_array(std::size_t array) const override { return plan_.offsets[array]; }
    [[nodiscard]] std::uint64_t size_bytes() const { return plan_.size_bytes; }

private:
    DescriptorBufferStore(const OpenDevice& context, const DescriptorLayouts& layouts, MemoryAllocator& allocator,
                          const StoreRequest& request, std::uint64_t least_set_bytes);
    [[nodiscard]] Status allocate();
    void write(std::uint32_t index, DescriptorType type, const DescriptorInfo& info);

    const OpenDevice& context_;
    const DescriptorLayouts& layouts_;
    MemoryAllocator& allocator_;
    std::span<const ArrayLayout> arrays_;
    VkBufferUsageFlags usage_;
    BufferPlan plan_;
    VkBuffer buffer_ = VK_NULL_HANDLE;
    DeviceMemory memory_;
    VkDeviceAddress address_ = 0;
};

}  // namespace heapwright::vulkan
