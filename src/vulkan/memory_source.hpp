// device::MemorySource on Vulkan: an allocation is one VkDeviceMemory. Host visible memory is mapped before anybody
// has its id: vkMapMemory must not run beside a vkBind*Memory of the same memory, which is another thread's to call.
// Thread-safe. An allocation that is still live when this ends is freed.
// Beside it: vkAllocateMemory under the device's limits.
#pragma once

#include <array>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "device/memory_source.hpp"
#include "device/slot_map.hpp"
#include "heapwright/core/index.hpp"
#include "heapwright/core/result.hpp"
#include "heapwright/model/report.hpp"
#include "heapwright_generated/volk.hpp"
#include "vulkan/open_device.hpp"

namespace heapwright::vulkan {

// vkAllocateMemory under the device's limits, and the count of what is live: chunks and dedicated resources share both.
// Thread-safe, except that one DeviceMemory is mapped by one thread at a time.

struct DeviceMemory {
    VkDeviceMemory handle = VK_NULL_HANDLE;
    std::uint64_t size_bytes = 0;
    MemoryTypeIndex memory_type;
    std::byte* mapped = nullptr;  // the whole of it, once map() was called
};

struct MemoryRequest {
    MemoryTypeIndex memory_type;
    std::uint64_t size_bytes = 0;
    float priority = 0.5f;
    bool device_address = false;
    VkBuffer dedicated_buffer = VK_NULL_HANDLE;  // at most one of the two
    VkImage dedicated_image = VK_NULL_HANDLE;
};

class MemoryAllocator {
public:
    explicit MemoryAllocator(const OpenDevice& context) : context_(context) {}

    // Errors: MemorySource::allocate's; kNotSupported for protected and AMD device-coherent memory types and for device
    // addresses, where they are not enabled.
    [[nodiscard]] Result<DeviceMemory> allocate(const MemoryRequest& request);
    void free(const DeviceMemory& memory);

    // Errors: kNotSupported when the type is not host visible; vkMapMemory's.
    [[nodiscard]] Result<std::span<std::byte>> map(DeviceMemory& memory) const;

    // Of mapped memory; the range is widened to nonCoherentAtomSize. Errors: kOutOfRange, kInvalidArgument (not mapped
    // and not coherent), kDeviceLost and the calls' own.
    [[nodiscard]] Status flush(const DeviceMemory& memory, std::uint64_t offset_bytes, std::uint64_t size_bytes) const;
    [[nodiscard]] Status invalidate(const DeviceMemory& memory, std::uint64_t offset_bytes,
                                    std::uint64_t size_bytes) const;

    [[nodiscard]] std::vector<model::HeapBudget> budgets() const;
    [[nodiscard]] bool is_coherent(const DeviceMemory& memory) const;
    [[nodiscard]] bool is_host_visible(MemoryTypeIndex type) const;
    [[nodiscard]] std::uint32_t live_allocations() const { return live_.load(); }

private:
    [[nodiscard]] Status check_request(const MemoryRequest& request) const;
    [[nodiscard]] Result<VkMappedMemoryRange> widened(const DeviceMemory& memory, std::uint64_t offset_bytes,
                                                      std::uint64_t size_bytes) const;
    [[nodiscard]] std::uint32_t heap_of(MemoryTypeIndex type) const {
        return context_.memory.memoryTypes[type.value].heapIndex;
    }

    const OpenDevice& context_;
    std::atomic<std::uint32_t> live_{0};
    std::array<std::atomic<std::uint64_t>, VK_MAX_MEMORY_HEAPS> used_bytes_{};
};

class MemorySource final : public device::MemorySource {
public:
    explicit MemorySource(MemoryAllocator& memory) : memory_(memory) {}
    MemorySource(const MemorySource&) = delete;
    MemorySource& operator=(const MemorySource&) = delete;
    ~MemorySource() override;

    [[nodiscard]] Result<device::AllocationId> allocate(const device::AllocationRequest& request) override;
    void free(device::AllocationId allocation) override;
    [[nodiscard]] Result<std::span<std::byte>> map(device::AllocationId allocation) override;
    [[nodiscard]] Status flush(device::AllocationId allocation, std::uint64_t offset_bytes,
                               std::uint64_t size_bytes) override;
    [[nodiscard]] Status invalidate(device::AllocationId allocation, std::uint64_t offset_bytes,
                                    std::uint64_t size_bytes) override;
    [[nodiscard]] Result<std::vector<model::HeapBudget>> budgets() override { return memory_.budgets(); }

    // Null for an id that is not live.
    [[nodiscard]] const DeviceMemory* find(device::AllocationId allocation) {
        return allocations_.find(allocation.value);
    }
    [[nodiscard]] std::size_t live_allocations() const { return allocations_.size(); }

private:
    [[nodiscard]] Result<DeviceMemory*> live(device::AllocationId allocation);

    MemoryAllocator& memory_;
    device::SlotMap<DeviceMemory> allocations_;
};

}  // namespace heapwright::vulkan
