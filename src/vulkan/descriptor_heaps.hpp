// device::DescriptorHeapSource on Vulkan. A heap is a table of what its descriptors point to and, where shaders see it,
// a store in the device's form. Render target and depth stencil views are tables alone.
// Thread-safety: the seam's. A heap that is still live when this ends is destroyed.
#pragma once

#include <atomic>
#include <cstddef>
#include <memory>
#include <mutex>
#include <vector>

#include "device/descriptor_heap_source.hpp"
#include "device/slot_map.hpp"
#include "vulkan/descriptor_layouts.hpp"
#include "vulkan/descriptor_store.hpp"
#include "vulkan/resource_binder.hpp"

namespace heapwright::vulkan {

struct DescriptorHeap {
    device::DescriptorHeapRequest request;
    std::vector<DescriptorSlot> slots;
    std::unique_ptr<DescriptorStore> store;  // null: not shader-visible, or pooled sets
};

class DescriptorHeaps final : public device::DescriptorHeapSource {
public:
    DescriptorHeaps(const OpenDevice& context, const DescriptorLayouts& layouts, MemoryAllocator& memory,
                    ResourceBinder& resources)
        : context_(context), layouts_(layouts), memory_(memory), resources_(resources) {}
    // What this needs of the device beside heaps. Errors: those of a descriptor buffer.
    [[nodiscard]] Status prepare();
    DescriptorHeaps(const DescriptorHeaps&) = delete;
    DescriptorHeaps& operator=(const DescriptorHeaps&) = delete;
    ~DescriptorHeaps() override;

    [[nodiscard]] const device::DescriptorFormChoice& form() const override { return context_.descriptors.choice; }
    [[nodiscard]] std::optional<std::uint64_t> stated_limit(device::DescriptorHeapKind kind,
                                                            bool shader_visible) const override;
    [[nodiscard]] Result<device::DescriptorHeapId> create(const device::DescriptorHeapRequest& request) override;
    void destroy(device::DescriptorHeapId heap) override { static_cast<void>(heaps_.take(heap.value)); }
    [[nodiscard]] device::DescriptorHeapAddresses addresses(device::DescriptorHeapId heap) const override;
    [[nodiscard]] Status write(device::DescriptorHeapId heap, std::uint32_t index,
                               const device::Descriptor& descriptor) override;
    [[nodiscard]] Status copy(device::DescriptorHeapId destination, std::uint32_t destination_index,
                              device::DescriptorHeapId source, std::uint32_t source_index,
                              std::uint32_t count) override;

    void forget(device::DescriptorHeapId heap, std::uint32_t index, std::uint32_t count) override;
    [[nodiscard]] Status create_and_destroy(std::uint32_t times) override;

    // Null for an id that is not live.
    [[nodiscard]] DescriptorHeap* find(device::DescriptorHeapId heap) const { return heaps_.find(heap.value); }
    // With descriptor buffers; else null.
    [[nodiscard]] const DescriptorStore* static_sampler() const { return static_sampler_.get(); }
    [[nodiscard]] std::size_t live_heaps() const { return heaps_.size(); }
    [[nodiscard]] std::uint32_t live_samplers() const { return samplers_->load(); }

private:
    struct SlotOf;
    // Of the sets that create_and_destroy() times; made once, so that it is no part of the time.
    [[nodiscard]] Result<VkDescriptorSetLayout> timed_layout();
    [[nodiscard]] Result<DescriptorHeap*> range(device::DescriptorHeapId heap, std::uint32_t first,
                                                std::uint32_t count) const;
    [[nodiscard]] Result<DescriptorSlot> image_slot(device::ResourceId image, std::uint32_t mip_level,
                                                    std::uint32_t array_layer, DescriptorType type);
    [[nodiscard]] Result<DescriptorSlot> buffer_slot(device::ResourceId buffer, std::uint64_t offset_bytes,
                                                     std::uint64_t size_bytes, DescriptorType type);
    [[nodiscard]] Result<DescriptorSlot> sampler_slot(const device::SamplerDescription& sampler);

    const OpenDevice& context_;
    const DescriptorLayouts& layouts_;
    MemoryAllocator& memory_;
    ResourceBinder& resources_;
    // The static sampler is one of the device's.
    std::unique_ptr<std::atomic<std::uint32_t>> samplers_ = std::make_unique<std::atomic<std::uint32_t>>(1);
    std::unique_ptr<DescriptorStore> static_sampler_;
    mutable device::SlotMap<DescriptorHeap> heaps_;
    std::mutex timed_layout_mutex_;
    VkDescriptorSetLayout timed_layout_ = VK_NULL_HANDLE;
};

}  // namespace heapwright::vulkan
