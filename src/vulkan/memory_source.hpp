// device::MemorySource on Vulkan: a heap is one VkDeviceMemory. Host visible memory is mapped before anybody
// has its id: vkMapMemory must not run beside a vkBind*Memory of the same memory, which is another thread's to call.
// Thread-safe. A heap that is still live when this ends is freed.
#pragma once

#include <cstddef>

#include "device/memory_source.hpp"
#include "device/slot_map.hpp"
#include "vulkan/device_memory.hpp"

namespace heapwright::vulkan {

class MemorySource final : public device::MemorySource {
public:
    explicit MemorySource(MemoryAllocator& memory) : memory_(memory) {}
    MemorySource(const MemorySource&) = delete;
    MemorySource& operator=(const MemorySource&) = delete;
    ~MemorySource() override;

    [[nodiscard]] Result<device::AllocationId> allocate(const device::AllocationRequest& request) override;
    void free(device::AllocationId heap) override;
    [[nodiscard]] Result<std::span<std::byte>> map(device::AllocationId heap) override;
    [[nodiscard]] Status flush(device::AllocationId heap, std::uint64_t offset_bytes,
                               std::uint64_t size_bytes) override;
    [[nodiscard]] Status invalidate(device::AllocationId heap, std::uint64_t offset_bytes,
                                    std::uint64_t size_bytes) override;
    [[nodiscard]] Result<std::vector<model::HeapBudget>> budgets() override { return memory_.budgets(); }

    // Null for an id that is not live.
    [[nodiscard]] const DeviceMemory* find(device::AllocationId heap) { return heaps_.find(heap.value); }
    [[nodiscard]] std::size_t live_heaps() const { return heaps_.size(); }

private:
    [[nodiscard]] Result<DeviceMemory*> live(device::AllocationId heap);

    MemoryAllocator& memory_;
    device::SlotMap<DeviceMemory> heaps_;
};

}  // namespace heapwright::vulkan
