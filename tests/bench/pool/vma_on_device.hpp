// The Vulkan Memory Allocator on an opened device: its default pools, and what it holds. Thread-safe as VMA is by
// default. Owns the allocator; the OpenDevice outlives it; everything created is destroyed before it. Sizes in bytes.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "heapwright/core/result.hpp"
#include "vulkan/open_device.hpp"

struct VmaAllocator_T;
struct VmaAllocation_T;

namespace heapwright::bench {

class VmaOnDevice {
public:
    struct Resource {
        VkImage image = VK_NULL_HANDLE;
        VkBuffer buffer = VK_NULL_HANDLE;
        VmaAllocation_T* allocation = nullptr;
        std::uint64_t size_bytes = 0;
    };
    struct Held {
        std::uint64_t bytes = 0;
        std::uint64_t device_allocations = 0;
    };
    // VmaStatistics of one memory type.
    struct OfType {
        std::uint64_t blocks = 0;
        std::uint64_t block_bytes = 0;
        std::uint64_t allocations = 0;
        std::uint64_t allocation_bytes = 0;
    };
    // What the host does with a buffer.
    enum class HostAccess : std::uint8_t { kNone, kWrites, kReads };

    // 0: VMA's own block size. Through the functions that `get_proc_addr` gives; null: the device's own. Error:
    // vmaCreateAllocator's.
    [[nodiscard]] static Result<VmaOnDevice> create(const vulkan::OpenDevice& device, std::uint64_t block_bytes,
                                                    PFN_vkGetDeviceProcAddr get_proc_addr = nullptr);
    VmaOnDevice(VmaOnDevice&& other) noexcept;
    VmaOnDevice& operator=(VmaOnDevice&&) = delete;
    ~VmaOnDevice();

    // With the allocation's information, as an engine asks for it. Errors: vmaCreateImage's, vmaCreateBuffer's.
    [[nodiscard]] Result<Resource> create(const VkImageCreateInfo& info);
    [[nodiscard]] Result<Resource> create(const VkBufferCreateInfo& info);
    [[nodiscard]] Result<Resource> create(const VkBufferCreateInfo& info, HostAccess access, bool in_own_memory);
    void name(const Resource& resource, const char* name);
    void destroy(const Resource& resource);

    [[nodiscard]] Held held() const;
    [[nodiscard]] std::vector<OfType> by_memory_type() const;
    [[nodiscard]] std::string dump() const;  // vmaBuildStatsString with the detailed map

private:
    explicit VmaOnDevice(VmaAllocator_T* allocator) : allocator_(allocator) {}

    VmaAllocator_T* allocator_;
};

}  // namespace heapwright::bench
