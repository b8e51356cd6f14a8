// device::HeapSource on Vulkan: a heap is one VkDeviceMemory, mapped once when first asked for.
// Thread-safe. A heap that is still live when this ends is freed.
#pragma once

#include <cstddef>
#include <mutex>

#include "heapwright/device/heap_source.hpp"
#include "heapwright/device/slot_map.hpp"
#include "heapwright/vulkan/device_memory.hpp"

namespace heapwright::vulkan {

class HeapSource final : public device::HeapSource {
public:
    explicit HeapSource(MemoryAllocator& memory) : memory_(memory) {}
    HeapSource(const HeapSource&) = delete;
    HeapSource& operator=(const HeapSource&) = delete;
    ~HeapSource() override;

    [[nodiscard]] Result<device::HeapId> allocate(const device::HeapRequest& request) override;
    void free(device::HeapId heap) override;
    [[nodiscard]] Result<std::span<std::byte>> map(device::HeapId heap) override;
    [[nodiscard]] Status flush(device::HeapId heap, std::uint64_t offset_bytes, std::uint64_t size_bytes) override;
    [[nodiscard]] Status invalidate(device::HeapId heap, std::uint64_t offset_bytes, std::uint64_t size_bytes) override;
    [[nodiscard]] Result<std::vector<model::HeapBudget>> budgets() override { return memory_.budgets(); }

    // Null for an id that is not live.
    [[nodiscard]] const DeviceMemory* find(device::HeapId heap) { return heaps_.find(heap.value); }
    [[nodiscard]] std::size_t live_heaps() const { return heaps_.size(); }

private:
    [[nodiscard]] Result<DeviceMemory*> live(device::HeapId heap);

    MemoryAllocator& memory_;
    device::SlotMap<DeviceMemory> heaps_;
    std::mutex map_mutex_;
};

}  // namespace heapwright::vulkan
