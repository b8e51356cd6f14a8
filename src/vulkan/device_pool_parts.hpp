// What an engine's pool is made of, for its own sources alone.
#pragma once

#include <mutex>

#include "heapwright_generated/volk.hpp"

#include "device/slot_map.hpp"
#include "heapwright/vulkan/device_pool.hpp"
#include "pool/memory_placer.hpp"
#include "vulkan/adopted_device.hpp"
#include "vulkan/memory_source.hpp"

namespace heapwright::vulkan {

// The resource that memory is for; both null: memory alone.
struct Native {
    VkBuffer buffer = VK_NULL_HANDLE;
    VkImage image = VK_NULL_HANDLE;
    bool owned = false;  // by the pool
};

// One allocation: a place in a chunk, or memory of its own.
struct Record {
    AllocationInfo info;
    std::optional<pool::Placement> placement;
    pool::DedicatedAllocation dedicated;  // without a placement
    vulkan::DeviceMemory own_memory;      // without a placement
};

struct DevicePool::Parts {
    Parts(std::unique_ptr<AdoptedDevice> adopted, const model::DevicePolicy& policy, contract::BucketIndex index,
          const pool::PoolOptions& options)
        : device(std::move(adopted)),
          memory(device->open()),
          source(memory),
          placer({.facts = device->facts(), .memory = source, .is_real = true}, policy, std::move(index), options) {}

    [[nodiscard]] const vulkan::DeviceCalls& call() const { return device->open().call; }
    [[nodiscard]] VkDevice handle() const { return device->open().handle; }

    [[nodiscard]] model::MemoryRequirements requirements(VkBuffer buffer) const;
    [[nodiscard]] model::MemoryRequirements requirements(VkImage image) const;
    [[nodiscard]] Result<PoolAllocation> place(const Native& native, const contract::Request& request);
    [[nodiscard]] Status bind(const Native& native, const AllocationInfo& info) const;
    [[nodiscard]] Result<std::span<std::byte>> map(Record& record);
    // Resource and memory of its own; what lies in a chunk is the placer's to free.
    void destroy(const Record& record);
    [[nodiscard]] Status give_back(const Record& record);
    [[nodiscard]] Result<Record*> live(PoolAllocation allocation) const;
    [[nodiscard]] BucketAnswer answer(const contract::Request& request) const;

    std::unique_ptr<AdoptedDevice> device;
    std::string explanation;
    std::string workload_name = "the program's";
    vulkan::MemoryAllocator memory;
    vulkan::MemorySource source;
    pool::MemoryPlacer placer;
    mutable device::SlotMap<Record> records;  // those that wait for their value too, by an id that nobody has
    std::mutex map_mutex;
};

// Errors: kNotSupported.
[[nodiscard]] Status check_supported(const VkBufferCreateInfo& info);
[[nodiscard]] Status check_supported(const VkImageCreateInfo& info);

[[nodiscard]] contract::Request request_for_buffer(const model::MemoryRequirements& requirements,
                                                   const AllocationOptions& options);
[[nodiscard]] contract::Request request_for_image(const model::MemoryRequirements& requirements, VkImageTiling tiling,
                                                  VkImageUsageFlags usage, const AllocationOptions& options);

}  // namespace heapwright::vulkan
