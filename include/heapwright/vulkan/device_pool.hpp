// The memory pool on a Vulkan device that the engine opened itself: buffers and images from the engine's own creation
// parameters, pNext chains included, memory for resources that the engine made, and memory alone, where the policy
// says. Guarantees: nothing is opened and no queue is touched; every call goes through the function pointers that were
// given; a failure leaves everything as it was; memory freed after a value is reused only once collect() was told that
// value. Ownership: instance, physical device and device stay the engine's and outlive the pool; resources that the
// pool created are the pool's until they are freed; resources that the engine made stay the engine's. The pool's end,
// with the device idle, destroys and frees what is left. Thread-safe: any number of threads may be in it at once, with
// different allocations; of one allocation nobody frees while another thread uses it. Creation and destruction
// run beside no other call. Errors: each function's, and kInvalidArgument for an allocation that is not live. Sizes in
// bytes. This header includes the Vulkan headers' types and no function names, so that it goes with any loader.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include <vulkan/vulkan_core.h>

#include "heapwright/core/index.hpp"
#include "heapwright/core/result.hpp"
#include "heapwright/model/policy.hpp"
#include "heapwright/model/report.hpp"
#include "heapwright/model/resource.hpp"
#include "heapwright/pool/pool_figures.hpp"
#include "heapwright/pool/pool_options.hpp"

namespace heapwright::vulkan {

// The engine's device. Vulkan 1.1 at least.
struct PoolDevice {
    VkInstance instance = VK_NULL_HANDLE;
    VkPhysicalDevice physical_device = VK_NULL_HANDLE;
    VkDevice device = VK_NULL_HANDLE;
    PFN_vkGetInstanceProcAddr get_instance_proc_addr = nullptr;
    PFN_vkGetDeviceProcAddr get_device_proc_addr = nullptr;
    std::uint32_t api_version = VK_API_VERSION_1_1;  // VkApplicationInfo::apiVersion
    // What the device was created with, read in create() alone: its extensions and feature structures say what the pool
    // may use (VK_EXT_memory_budget, VK_EXT_memory_priority, maintenance4, buffer device addresses, protected memory,
    // AMD's device coherent memory). Null: none of them.
    const VkDeviceCreateInfo* created_with = nullptr;
};

// What the device is by its own word, as far as policies are made and chosen from it: identity, heaps, memory types,
// the limits of memory, and as features what the engine switched on. Allocates nothing. Errors: kInvalidArgument,
// kNotSupported (below Vulkan 1.1), the driver's.
[[nodiscard]] Result<model::DeviceReport> device_facts(const PoolDevice& device);

struct PoolAllocation {
    std::uint64_t value = 0;  // 0: none
    friend constexpr auto operator<=>(PoolAllocation, PoolAllocation) = default;
};

struct AllocationOptions {
    model::MemoryUse use = model::MemoryUse::kDeviceOnly;
    bool dedicated = false;  // a device allocation of its own, whatever the policy says
};

struct AllocationInfo {
    VkBuffer buffer = VK_NULL_HANDLE;  // at most one of the two; both null: memory alone
    VkImage image = VK_NULL_HANDLE;
    VkDeviceMemory memory = VK_NULL_HANDLE;
    std::uint64_t offset_bytes = 0;
    std::uint64_t size_bytes = 0;  // what the resource asked for
    std::byte* mapped = nullptr;   // its first byte; null: not mapped
    std::uint32_t memory_type = 0;
    VkMemoryPropertyFlags memory_properties = 0;
    bool dedicated = false;      // the memory is this allocation's own
    bool owns_resource = false;  // the pool made buffer or image and destroys it
    std::uint32_t bucket = 0;    // position in the policy's buckets; of no meaning where `dedicated`
};

struct CreatedBuffer {
    VkBuffer buffer = VK_NULL_HANDLE;
    PoolAllocation allocation;
    AllocationInfo info;
};
struct CreatedImage {
    VkImage image = VK_NULL_HANDLE;
    PoolAllocation allocation;
    AllocationInfo info;
};
// For a resource of the engine's, or memory alone.
struct Allocated {
    PoolAllocation allocation;
    AllocationInfo info;
};

// The last use on one of the engine's timelines (PoolOptions::timelines), counted from 0.
struct TimelineUse {
    std::uint32_t timeline = 0;
    TimelineValue value;
};

// Where a resource would go as long as there is memory.
struct BucketAnswer {
    model::MemoryRequirements requirements;
    bool dedicated = false;
    bool refused = false;                 // the policy's rule for humongous requests; ask for it `dedicated`
    std::optional<std::uint32_t> bucket;  // none: dedicated, refused, or nothing in the policy serves it
    std::optional<std::uint32_t> memory_type;
};

class AdoptedDevice;
struct FittingPolicy;

class DevicePool {
public:
    // Errors: device_facts()'s; kInvalidArgument when the policy is not for this device's memory types.
    [[nodiscard]] static Result<std::unique_ptr<DevicePool>> create(const PoolDevice& device,
                                                                    const model::DevicePolicy& policy,
                                                                    const pool::PoolOptions& options = {});
    // With the policy of a document (JSON text; `source` names it in errors) that fits the device, scaled to its heaps.
    // Errors: also those of reading it; kDeviceMismatch when none of its policies fits.
    [[nodiscard]] static Result<std::unique_ptr<DevicePool>> create_from_document(
        const PoolDevice& device, std::string_view document, std::string_view source,
        const pool::PoolOptions& options = {});
    // With a policy that is made here for a preset's workload, from what the physical device tells: no memory is
    // allocated and no resource made. Errors: also kInvalidArgument for an unknown
    // workload; kNotSupported when no memory type can serve a use of it, or when none of its hints can be served.
    [[nodiscard]] static Result<std::unique_ptr<DevicePool>> create_without_policy(
        const PoolDevice& device, const std::string& workload = "general-engine",
        const pool::PoolOptions& options = {});

    DevicePool(const DevicePool&) = delete;
    DevicePool& operator=(const DevicePool&) = delete;
    ~DevicePool();

    // Created, placed and bound. Memory that the host is to touch by its use is mapped; where that fails the next
    // memory type is tried. A resource with VkExternalMemory*CreateInfo gets exportable memory of its own, one whose
    // address is captured and replayed memory of its own with that flag, a protected one protected memory of its own.
    // Errors: kNotSupported for sparse and disjoint resources, for handles that can only be imported, for a buffer that
    // is created at a captured address, and when no ranked memory type is admitted; kRefused above the humongous
    // threshold where the policy refuses; kOutOfRange above maxMemoryAllocationSize; kOutOfDeviceMemory, with the
    // figures of every memory type that was tried; kOverBudget as the options say; the driver's.
    [[nodiscard]] Result<CreatedBuffer> create_buffer(const VkBufferCreateInfo& info,
                                                      const AllocationOptions& options = {});
    [[nodiscard]] Result<CreatedImage> create_image(const VkImageCreateInfo& info,
                                                    const AllocationOptions& options = {});

    // Memory for a resource that the engine made, with `info`, and bound nothing to. Errors: as above.
    [[nodiscard]] Result<Allocated> bind_buffer(VkBuffer buffer, const VkBufferCreateInfo& info,
                                                const AllocationOptions& options = {});
    [[nodiscard]] Result<Allocated> bind_image(VkImage image, const VkImageCreateInfo& info,
                                               const AllocationOptions& options = {});

    // Memory alone. Errors: as above.
    [[nodiscard]] Result<Allocated> allocate(const VkMemoryRequirements& requirements,
                                             model::ResourceClass resource_class,
                                             const AllocationOptions& options = {});

    [[nodiscard]] Result<AllocationInfo> info(PoolAllocation allocation) const;

    // Its bytes, mapped until the memory goes. Errors: kNotSupported where the memory type is not host visible;
    // vkMapMemory's.
    [[nodiscard]] Result<std::span<std::byte>> map(PoolAllocation allocation);
    // Make host writes visible to the device, device writes to the host, of mapped memory; nothing to do where the
    // memory is coherent. VK_WHOLE_SIZE: to the allocation's end. Errors: kOutOfRange, kInvalidArgument (not mapped),
    // the calls' own.
    [[nodiscard]] Status flush(PoolAllocation allocation, std::uint64_t offset_bytes, std::uint64_t size_bytes);
    [[nodiscard]] Status invalidate(PoolAllocation allocation, std::uint64_t offset_bytes, std::uint64_t size_bytes);

    // At once: the device never used it, or its use is over. A resource that the pool made is destroyed with it.
    [[nodiscard]] Status free(PoolAllocation allocation);
    // Once collect() is told `last_use` or more: a value of the engine's own, which only grows, such as that of its
    // timeline semaphore or the number of a frame. From now on the allocation is no longer live here. On one timeline a
    // value below an earlier one's waits with it.
    [[nodiscard]] Status free_after(PoolAllocation allocation, TimelineValue last_use) {
        const TimelineUse use{.timeline = 0, .value = last_use};
        return free_after(allocation, std::span(&use, 1));
    }
    // The same after all of them, such as a value a queue. Error: kOutOfRange for a timeline that the pool has not.
    [[nodiscard]] Status free_after(PoolAllocation allocation, std::span<const TimelineUse> last_uses);
    // Ends what waits for values up to `completed`; empty chunks grow older by one step, and old ones go back.
    // Error: kInvariantBroken when the books do not agree; the rest is still collected.
    Status collect(TimelineValue completed) { return collect(std::span(&completed, 1)); }
    // The same with the value of each timeline, from timeline 0 on; those that are not named have completed nothing
    // new.
    Status collect(std::span<const TimelineValue> completed);
    // Gives every empty chunk back; the bytes that went back.
    std::uint64_t trim();

    // Which bucket takes such a resource. Creates nothing that stays. Errors: kNotSupported, the driver's.
    [[nodiscard]] Result<BucketAnswer> bucket_of(const VkBufferCreateInfo& info,
                                                 const AllocationOptions& options = {}) const;
    [[nodiscard]] Result<BucketAnswer> bucket_of(const VkImageCreateInfo& info,
                                                 const AllocationOptions& options = {}) const;

    [[nodiscard]] std::size_t live_allocations() const;
    [[nodiscard]] pool::PoolFigures figures() const;
    // A heap each: the device's word with VK_EXT_memory_budget, else the heap's size and what the pool took.
    [[nodiscard]] std::vector<model::HeapBudget> budgets() const;
    [[nodiscard]] const model::DevicePolicy& policy() const;
    [[nodiscard]] const model::DeviceReport& facts() const;
    // Where the policy comes from and how it was fitted, in words.
    [[nodiscard]] const std::string& policy_explanation() const;
    // The policy in use as a document (JSON text).
    [[nodiscard]] std::string policy_document() const;
    // Call it while no other thread uses the pool. Error: kInvariantBroken, which names what does not agree.
    [[nodiscard]] Status validate_invariants() const;

private:
    struct Parts;
    explicit DevicePool(std::unique_ptr<Parts> parts);
    [[nodiscard]] static Result<std::unique_ptr<DevicePool>> create(std::unique_ptr<AdoptedDevice> adopted,
                                                                    FittingPolicy fitting,
                                                                    const pool::PoolOptions& options);

    std::unique_ptr<Parts> parts_;
};

}  // namespace heapwright::vulkan
