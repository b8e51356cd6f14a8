// A heap as a descriptor buffer (VK_EXT_descriptor_buffer): the arrays of the layouts one behind the other in mapped
// memory, descriptors written by the host.
#pragma once

#include "heapwright/vulkan/descriptor_store.hpp"

namespace heapwright::vulkan {

class DescriptorBufferStore final : public DescriptorStore {
public:
    [[nodiscard]] static Result<std::unique_ptr<DescriptorStore>> create(const DeviceContext& context,
                                                                         const DescriptorLayouts& layouts,
                                                                         MemoryAllocator& memory,
                                                                         const StoreRequest& request);
    // One descriptor: the layouts' static sampler.
    [[nodiscard]] static Result<std::unique_ptr<DescriptorStore>> create_static_sampler(
        const DeviceContext& context, const DescriptorLayouts& layouts, MemoryAllocator& memory);
    DescriptorBufferStore(const DescriptorBufferStore&) = delete;
    DescriptorBufferStore& operator=(const DescriptorBufferStore&) = delete;
    ~DescriptorBufferStore() override;

    void put(std::uint32_t first, std::span<const DescriptorSlot> slots) override;
    [[nodiscard]] VkDescriptorBufferBindingInfoEXT buffer() const override;
    [[nodiscard]] std::uint64_t offset_of_array(std::size_t array) const override { return offsets_[array]; }

private:
    DescriptorBufferStore(const DeviceContext& context, const DescriptorLayouts& layouts, MemoryAllocator& allocator,
                          const StoreRequest& request);
    [[nodiscard]] Status allocate();
    void write(std::uint32_t index, DescriptorType type, const DescriptorInfo& info);

    const DeviceContext& context_;
    const DescriptorLayouts& layouts_;
    MemoryAllocator& allocator_;
    std::span<const ArrayLayout> arrays_;
    VkBufferUsageFlags usage_;
    std::vector<std::uint64_t> offsets_;  // of each array
    std::uint64_t size_bytes_ = 0;
    VkBuffer buffer_ = VK_NULL_HANDLE;
    DeviceMemory memory_;
    VkDeviceAddress address_ = 0;
};

}  // namespace heapwright::vulkan
