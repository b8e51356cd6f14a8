// device::MemorySource on Vulkan: an allocation is one VkDeviceMemory. Thread-safe; vkMapMemory, which must not run
// beside a vkBind*Memory of the same memory, runs beside none that goes through bind(). An allocation that is still
// live when this ends is freed.
// Beside it: vkAllocateMemory under the device's limits.
#pragma once

#include <array>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <shared_mutex>
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
    VkExternalMemoryHandleTypeFlags exported_as = 0;  // VkExportMemoryAllocateInfo
    bool address_is_replayable = false;               // VK_MEMORY_ALLOCATE_DEVICE_ADDRESS_CAPTURE_REPLAY_BIT
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
    enum class Maps : std::uint8_t {
        kAtOnce,     // host-visible memory, before anybody has its id
        kWhenAsked,  // by map()
    };

    MemorySource(MemoryAllocator& memory, Maps maps) : memory_(memory), maps_(maps) {}
    MemorySource(const MemorySource&) = delete;
    MemorySource& operator=(const MemorySource&) = delete;
    ~MemorySource() override;

    [[nodiscard]] Result<device::AllocationId> allocate(const device::AllocationRequest& request) override;
    // With what Vulkan alone knows.
    [[nodiscard]] Result<device::AllocationId> take(const MemoryRequest& request);
    void free(device::AllocationId allocation) override;
    [[nodiscard]] Result<std::span<std::byte>> map(device::AllocationId allocation) override;
    [[nodiscard]] Status flush(device::AllocationId allocation, std::uint64_t offset_bytes,
                               std::uint64_t size_bytes) override;
    [[nodiscard]] Status invalidate(device::AllocationId allocation, std::uint64_t offset_bytes,
                                    std::uint64_t size_bytes) override;
    [[nodiscard]] Result<std::vector<model::HeapBudget>> budgets() override { return memory_.budgets(); }

    // bind(VkDeviceMemory) -> VkResult, beside no mapping of that memory. The allocation is live.
    template <class Bind>
    [[nodiscard]] VkResult bind(device::AllocationId allocation, Bind&& bind) {
        Held& held = **allocations_.find(allocation.value);
        // Once mapped it is not mapped again.
        if (!held.may_be_mapped || held.mapped.load(std::memory_order_acquire) != nullptr)
            return bind(held.memory.handle);
        const std::shared_lock lock(held.mapping);
        return bind(held.memory.handle);
    }

    // Of a live allocation.
    [[nodiscard]] VkDeviceMemory handle(device::AllocationId allocation) {
        return (*allocations_.find(allocation.value))->memory.handle;
    }
    // Its first byte; null: not mapped, or not live.
    [[nodiscard]] std::byte* mapped(device::AllocationId allocation);

    // Null for an id that is not live.
    [[nodiscard]] const DeviceMemory* find(device::AllocationId allocation);
    [[nodiscard]] std::size_t live_allocations() const { return allocations_.size(); }

private:
    struct Held {
        DeviceMemory memory;  // its `mapped` is written under `mapping`
        bool may_be_mapped = false;
        std::atomic<std::byte*> mapped{nullptr};
        std::shared_mutex mapping;  // shared: something is bound
    };

    [[nodiscard]] Result<Held*> live(device::AllocationId allocation);
    [[nodiscard]] Result<std::span<std::byte>> map(Held& held) const;
    [[nodiscard]] static DeviceMemory as_mapped(const Held& held);

    MemoryAllocator& memory_;
    const Maps maps_;
    device::SlotMap<std::unique_ptr<Held>> allocations_;
};

}  // namespace heapwright::vulkan
