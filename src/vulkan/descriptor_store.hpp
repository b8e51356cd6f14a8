// Where shader-visible descriptors lie for the device: one class for each form that has such a place.
//
// Thread-safety: put() of different descriptors from several threads; bind-time calls from any thread.
// Ownership: a store ends when no submitted work reads it.
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "heapwright_generated/volk.hpp"

#include "heapwright/core/result.hpp"
#include "vulkan/descriptor_layouts.hpp"
#include "vulkan/memory_source.hpp"

namespace heapwright::vulkan {

// The sets of one large set, one for each array of the layouts, in their order.
struct DescriptorSets {
    std::vector<VkDescriptorSet> of_array;
};

class DescriptorStore {
public:
    virtual ~DescriptorStore() = default;

    virtual void put(std::uint32_t first, std::span<const DescriptorSlot> slots) = 0;

    // Nothing reads these before they are put again.
    virtual void forget(std::uint32_t /*first*/, std::uint32_t /*count*/) {}

    // Descriptor buffers: where it begins, and the usage that it was made with.
    [[nodiscard]] virtual VkDescriptorBufferBindingInfoEXT buffer() const { return {}; }
    [[nodiscard]] virtual std::uint64_t offset_of_array(std::size_t) const { return 0; }

    // Large sets: what a list that is recorded now reads, with all that was put. The list keeps it until it ended.
    [[nodiscard]] virtual Result<std::shared_ptr<const DescriptorSets>> sets() {
        return std::shared_ptr<const DescriptorSets>();
    }
};

struct StoreRequest {
    device::DescriptorHeapKind kind = device::DescriptorHeapKind::kCbvSrvUav;
    std::uint32_t capacity = 0;
};

// Null for pooled sets. Errors: kOutOfDeviceMemory, kOutOfHostMemory, kNotSupported (no memory type for a descriptor
// buffer), the driver's own.
[[nodiscard]] Result<std::unique_ptr<DescriptorStore>> create_descriptor_store(const OpenDevice& context,
                                                                               const DescriptorLayouts& layouts,
                                                                               MemoryAllocator& memory,
                                                                               const StoreRequest& request);

}  // namespace heapwright::vulkan
