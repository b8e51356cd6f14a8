// device::MemorySource on Direct3D 12: an allocation is one ID3D12Heap of a row of the memory layout. A heap cannot be
// mapped itself, so a buffer over all of it is, from the first map() on. All host-visible memory is coherent.
// Thread-safe. A heap that is still live when this ends is released.
#pragma once

#include <array>
#include <atomic>
#include <cstddef>
#include <mutex>

#include "d3d12/device.hpp"
#include "device/memory_source.hpp"
#include "device/slot_map.hpp"

namespace heapwright::d3d12 {

struct Heap {
    Com<ID3D12Heap> handle;
    std::uint64_t size_bytes = 0;
    MemoryTypeIndex memory_type;
    Com<ID3D12Resource> mapping;
    std::byte* mapped = nullptr;
};

// Bytes that this process holds in each of the report's heaps.
class UsedBytes {
public:
    void add(std::uint32_t heap_index, std::uint64_t bytes) { bytes_[heap_index].fetch_add(bytes); }
    void subtract(std::uint32_t heap_index, std::uint64_t bytes) { bytes_[heap_index].fetch_sub(bytes); }
    [[nodiscard]] std::uint64_t of(std::size_t heap_index) const { return bytes_[heap_index].load(); }

private:
    std::array<std::atomic<std::uint64_t>, 2> bytes_{};  // local, non-local
};

class MemorySource final : public device::MemorySource {
public:
    MemorySource(const OpenDevice& context, UsedBytes& used) : context_(context), used_(used) {}
    MemorySource(const MemorySource&) = delete;
    MemorySource& operator=(const MemorySource&) = delete;

    [[nodiscard]] Result<device::AllocationId> allocate(const device::AllocationRequest& request) override;
    void free(device::AllocationId memory) override;
    [[nodiscard]] Result<std::span<std::byte>> map(device::AllocationId memory) override;
    [[nodiscard]] Status flush(device::AllocationId memory, std::uint64_t offset_bytes,
                               std::uint64_t size_bytes) override;
    [[nodiscard]] Status invalidate(device::AllocationId memory, std::uint64_t offset_bytes,
                                    std::uint64_t size_bytes) override;
    [[nodiscard]] Result<std::vector<model::HeapBudget>> budgets() override;

    // Null for an id that is not live.
    [[nodiscard]] const Heap* find(device::AllocationId memory) { return heaps_.find(memory.value); }
    [[nodiscard]] std::size_t live_heaps() const { return heaps_.size(); }

private:
    [[nodiscard]] Result<Heap*> live(device::AllocationId memory);
    [[nodiscard]] Status check_range(device::AllocationId memory, std::uint64_t offset_bytes, std::uint64_t size_bytes);

    const OpenDevice& context_;
    UsedBytes& used_;
    device::SlotMap<Heap> heaps_;
    std::mutex map_mutex_;
};

// Whether an allocation of this row and size can be; the same for heaps and committed resources.
[[nodiscard]] Status check_allocation(const OpenDevice& context, MemoryTypeIndex memory_type, std::uint64_t size_bytes);

}  // namespace heapwright::d3d12
