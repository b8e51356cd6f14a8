// The VkDevice with what the parts of an opened device share: its functions, limits, memory types, what was switched
// on, its queues. Thread-safe: read-only after creation but for the ended semaphores, which have a mutex. Every opened
// device has its own, nothing is global.
// Owns the VkDevice, which ends with it, but for an adopted one; the Instance outlives it and stays where it is.
// Beside it: which queues become engines.
#pragma once

#include <cstdint>
#include <memory>
#include <mutex>
#include <optional>
#include <span>
#include <vector>

#include "device/capability_source.hpp"
#include "device/descriptor_form.hpp"
#include "device/submitter.hpp"
#include "heapwright/core/result.hpp"
#include "heapwright_generated/volk.hpp"
#include "vulkan/driver_calls.hpp"
#include "vulkan/instance.hpp"

namespace heapwright::vulkan {

// What the device has and was switched on. Timeline semaphores are always on.
struct EnabledFeatures {
    bool maintenance4 = false;  // vkGetDevice*MemoryRequirements
    bool buffer_device_address = false;
    bool memory_budget = false;
    bool memory_priority = false;
    bool dynamic_rendering = false;
    bool sampler_anisotropy = false;
    bool acceleration_structures = false;  // what these two add to the usages of buffers
    bool ray_tracing_pipelines = false;
    bool host_query_reset = false;
    bool calibrated_timestamps = false;
    bool protected_memory = false;
    bool device_coherent_memory = false;  // VK_AMD_device_coherent_memory
};

struct DeviceQueue {
    device::EngineInfo info;
    VkQueueFlags flags = 0;
    std::uint32_t timestamp_valid_bits = 0;
    VkQueue queue = VK_NULL_HANDLE;
};

class OpenDevice {
public:
    // Errors: kNotSupported (below Vulkan 1.1, no timeline semaphores, no usable queue, not the form of descriptors
    // that is asked for), and vkCreateDevice's.
    [[nodiscard]] static Result<std::unique_ptr<OpenDevice>> create(const Instance& instance, VkPhysicalDevice physical,
                                                                    const device::OpenOptions& options = {});

    // One that the caller made and keeps. `enabled` is what the caller switched on. `call` holds the functions of
    // memory, buffers and images alone, through the caller's own vkGetDeviceProcAddr; there are no queues. The device
    // outlives this. Errors: kInvalidArgument (a null handle, a function is missing), kNotSupported (below Vulkan 1.1).
    [[nodiscard]] static Result<std::unique_ptr<OpenDevice>> adopt(const Instance& instance, VkPhysicalDevice physical,
                                                                   VkDevice device,
                                                                   PFN_vkGetDeviceProcAddr get_proc_addr,
                                                                   const EnabledFeatures& enabled);

    OpenDevice(const OpenDevice&) = delete;
    OpenDevice& operator=(const OpenDevice&) = delete;
    ~OpenDevice();

    // Destroys a semaphore with the device, once it is idle. Mesa emulates timelines on lavapipe. Up to its merge
    // request 35921, the thread that submits lets go of the point that a submission waited for after the host can see
    // the submission's signals: a semaphore that the host, rightly, has destroyed by then is written to when freed.
    void end_semaphore(VkSemaphore semaphore) const noexcept;

    const Instance* instance = nullptr;
    VkPhysicalDevice physical = VK_NULL_HANDLE;
    VkDevice handle = VK_NULL_HANDLE;
    DeviceCalls call;
    EnabledFeatures enabled;
    device::DescriptorPlan descriptors;
    VkPhysicalDeviceDescriptorBufferPropertiesEXT descriptor_buffer{};  // zeros without the extension
    VkPhysicalDeviceLimits limits{};
    VkPhysicalDeviceMemoryProperties memory{};
    std::uint64_t max_allocation_bytes = 0;
    std::uint64_t max_buffer_bytes = 0;
    std::vector<DeviceQueue> queues;            // one per engine, engine 0 first
    std::vector<std::uint32_t> queue_families;  // those of `queues`, distinct

private:
    OpenDevice() = default;

    bool adopted_ = false;  // the caller's
    mutable std::mutex ended_mutex_;
    mutable std::vector<VkSemaphore> ended_semaphores_;
};

// Which queues of a device become engines: device/engine_choice.hpp for Vulkan's own structures. Pure.

// The engines in order; empty when no family can do graphics or compute work.
[[nodiscard]] std::vector<device::EngineInfo> choose_engines(std::span<const VkQueueFamilyProperties> families);

// For VkDeviceQueueCreateInfo.
[[nodiscard]] float queue_priority(device::EnginePriority priority);

// What an engine of the kind may do on a queue of such a family: a compute engine on a graphics queue does no graphics.
[[nodiscard]] VkQueueFlags engine_flags(device::EngineKind kind, VkQueueFlags family_flags);

}  // namespace heapwright::vulkan
