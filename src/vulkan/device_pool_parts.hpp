// What an engine's pool is made of, for its own sources alone.
#pragma once

#include <mutex>
#include <span>
#include <vector>

#include "contract/bucket_choice.hpp"
#include "device/slot_map.hpp"
#include "heapwright/vulkan/device_pool.hpp"
#include "heapwright_generated/volk.hpp"
#include "pool/memory_placer.hpp"
#include "vulkan/adopted_device.hpp"
#include "vulkan/memory_source.hpp"
#include "vulkan/turns.hpp"

namespace heapwright::vulkan {

// The resource that memory is for; both null: memory alone.
struct Native {
    VkBuffer buffer = VK_NULL_HANDLE;
    VkImage image = VK_NULL_HANDLE;
    bool owned = false;  // by the pool
};

// What of a resource's creation its memory has to match, beyond its requirements.
struct Wanted {
    contract::Request request;
    VkExternalMemoryHandleTypeFlags exported_as = 0;
    bool address_is_replayable = false;
    bool is_protected = false;
};

// One allocation: a place in a chunk, or memory of its own.
struct Record {
    AllocationInfo info;  // but for what is mapped: see DevicePool::Parts::info_of()
    std::optional<pool::Placement> placement;
    pool::DedicatedAllocation dedicated;  // without a placement
    device::AllocationId memory;
};

// Freed, after uses on several timelines.
struct WaitingForSeveral {
    std::uint64_t record = 0;
    std::vector<TimelineUse> uses;
};

struct DevicePool::Parts {
    // Where so many threads or more serve, no lock of the driver's is in the way, and all may come.
    static constexpr std::uint64_t kFewThreads = 8;

    Parts(std::unique_ptr<AdoptedDevice> adopted, const model::DevicePolicy& policy, contract::BucketIndex index,
          const pool::PoolOptions& options)
        : device(std::move(adopted)),
          memory(device->open()),
          source(memory, MemorySource::Maps::kWhenAsked),
          placer({.facts = device->facts(), .memory = source, .is_real = true}, policy, std::move(index), options),
          image_turns(threads_of(policy.creations ? policy.creations->image_threads : std::nullopt, kFound)),
          // Of buffers no driver was seen to lose by many threads, but with memoryPriority.
          buffer_turns(threads_of(policy.creations ? policy.creations->buffer_threads : std::nullopt,
                                  device->open().enabled.memory_priority ? kFound : Turns::kAll)) {}

    static constexpr std::uint32_t kFound = 0;
    // What was measured; of many threads that serve all may come.
    [[nodiscard]] static std::uint32_t threads_of(const std::optional<model::Decided<std::uint64_t>>& measured,
                                                  std::uint32_t unmeasured) {
        if (!measured) return unmeasured;
        return measured->value < kFewThreads ? static_cast<std::uint32_t>(measured->value) : Turns::kAll;
    }

    [[nodiscard]] const vulkan::DeviceCalls& call() const { return device->open().call; }
    [[nodiscard]] VkDevice handle() const { return device->open().handle; }

    [[nodiscard]] model::MemoryRequirements requirements(VkBuffer buffer) const;
    [[nodiscard]] model::MemoryRequirements requirements(VkImage image) const;
    [[nodiscard]] Result<VkBuffer> create(const VkBufferCreateInfo& info) const;
    [[nodiscard]] Result<VkImage> create(const VkImageCreateInfo& info) const;
    void destroy(VkBuffer buffer) const;
    void destroy(VkImage image) const;
    // The wants are those of `wanted` for its requirements.
    [[nodiscard]] Result<Allocated> place(const Native& native, Wanted wanted);
    [[nodiscard]] Result<Record> take_memory(const Native& native, const Wanted& wanted);
    [[nodiscard]] Status bind(const Native& native, const Record& record);
    // Resource and memory of its own; what lies in a chunk is the placer's to free.
    void destroy(const Record& record);
    [[nodiscard]] Status give_back(const Record& record);
    [[nodiscard]] Result<Record*> live(PoolAllocation allocation) const;
    [[nodiscard]] AllocationInfo info_of(const Record& record) const;
    [[nodiscard]] BucketAnswer answer(const Wanted& wanted) const;

    std::unique_ptr<AdoptedDevice> device;
    std::string explanation;
    std::string workload_name = "the program's";
    vulkan::MemoryAllocator memory;
    mutable vulkan::MemorySource source;
    pool::MemoryPlacer placer;
    mutable Turns image_turns;
    mutable Turns buffer_turns;
    mutable device::SlotMap<Record> records;  // those that wait for their value too, by an id that nobody has
    mutable std::mutex several_mutex;
    std::vector<WaitingForSeveral> several;
};

}  // namespace heapwright::vulkan
