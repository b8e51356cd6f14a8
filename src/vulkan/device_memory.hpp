// vkAllocateMemory under the device's limits, and the count of what is live: heaps and dedicated resources share both.
// Thread-safe, except that one DeviceMemory is mapped by one thread at a time.
#pragma once

#include <array>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "heapwright_generated/volk.hpp"

#include "heapwright/core/index.hpp"
#include "heapwright/core/result.hpp"
#include "heapwright/model/report.hpp"
#include "vulkan/open_device.hpp"

namespace heapwright::vulkan {

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

}  // namespace heapwright::vulkan
