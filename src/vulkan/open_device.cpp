#include "vulkan/open_device.hpp"

#include <algorithm>
#include <string>
#include <type_traits>

#include <fmt/format.h>

#include "core/breadcrumb.hpp"
#include "core/utf8.hpp"
#include "device/engine_choice.hpp"
#include "vulkan/call.hpp"
#include "vulkan/descriptor_layouts.hpp"
#include "vulkan/physical_device.hpp"

namespace heapwright::vulkan {

namespace {

// Collects the extensions to switch on.
class Extensions {
public:
    explicit Extensions(const PhysicalDevice& device) : device_(device) {}

    bool enable_if_present(const char* name) {
        if (!device_.has_extension(name)) return false;
        enabled_.push_back(name);
        return true;
    }

    [[nodiscard]] const std::vector<const char*>& enabled() const { return enabled_; }

private:
    const PhysicalDevice& device_;
    std::vector<const char*> enabled_;
};

// The feature structures that are asked about and then switched on: one chain serves both, a structure is in it only
// when the version or an extension defines it.
struct FeatureChain {
    VkPhysicalDeviceFeatures2 core{};
    VkPhysicalDeviceTimelineSemaphoreFeatures timeline{};
    VkPhysicalDeviceBufferDeviceAddressFeatures address{};
    VkPhysicalDeviceHostQueryResetFeatures query_reset{};
    VkPhysicalDeviceMaintenance4Features maintenance4{};
    VkPhysicalDeviceMemoryPriorityFeaturesEXT priority{};
    VkPhysicalDeviceAccelerationStructureFeaturesKHR acceleration{};
    VkPhysicalDeviceRayTracingPipelineFeaturesKHR ray_tracing{};
    DescriptorFeatures descriptors;

    FeatureChain() = default;
    FeatureChain(const FeatureChain&) = delete;
    FeatureChain& operator=(const FeatureChain&) = delete;

    template <class Structure>
    void add(Structure& structure, VkStructureType type) {
        structure.sType = type;
        structure.pNext = core.pNext;
        core.pNext = &structure;
    }

    // Of what the device has, only what resources of ours may need stays on.
    void keep_only_used() {
        const VkPhysicalDeviceFeatures all = core.features;
        core.features = {};
        core.features.textureCompressionBC = all.textureCompressionBC;
        core.features.textureCompressionETC2 = all.textureCompressionETC2;
        core.features.textureCompressionASTC_LDR = all.textureCompressionASTC_LDR;
        core.features.shaderStorageImageMultisample = all.shaderStorageImageMultisample;
        core.features.samplerAnisotropy = all.samplerAnisotropy;
        core.features.shaderUniformBufferArrayDynamicIndexing = all.shaderUniformBufferArrayDynamicIndexing;
        core.features.shaderStorageBufferArrayDynamicIndexing = all.shaderStorageBufferArrayDynamicIndexing;
        core.features.shaderSampledImageArrayDynamicIndexing = all.shaderSampledImageArrayDynamicIndexing;
        descriptors.keep_only_used();
        acceleration.accelerationStructureCaptureReplay = VK_FALSE;
        acceleration.accelerationStructureIndirectBuild = VK_FALSE;
        acceleration.accelerationStructureHostCommands = VK_FALSE;
        acceleration.descriptorBindingAccelerationStructureUpdateAfterBind = VK_FALSE;
        ray_tracing.rayTracingPipelineShaderGroupHandleCaptureReplay = VK_FALSE;
        ray_tracing.rayTracingPipelineShaderGroupHandleCaptureReplayMixed = VK_FALSE;
        ray_tracing.rayTracingPipelineTraceRaysIndirect = VK_FALSE;
        ray_tracing.rayTraversalPrimitiveCulling = VK_FALSE;
        address.bufferDeviceAddressCaptureReplay = VK_FALSE;
        address.bufferDeviceAddressMultiDevice = VK_FALSE;
    }
};

// One name for a function that came with an extension before it was core.
void use_extension_names(DeviceCalls& call, std::uint32_t version) {
    if (version < VK_API_VERSION_1_2) {
        call.vkWaitSemaphores = call.vkWaitSemaphoresKHR;
        call.vkSignalSemaphore = call.vkSignalSemaphoreKHR;
        call.vkGetSemaphoreCounterValue = call.vkGetSemaphoreCounterValueKHR;
        call.vkResetQueryPool = call.vkResetQueryPoolEXT;
    }
    if (version < VK_API_VERSION_1_3) {
        call.vkGetDeviceBufferMemoryRequirements = call.vkGetDeviceBufferMemoryRequirementsKHR;
        call.vkGetDeviceImageMemoryRequirements = call.vkGetDeviceImageMemoryRequirementsKHR;
    }
}

void read_limits(OpenDevice& context, bool has_maintenance4, bool has_descriptor_buffer) {
    VkPhysicalDeviceMaintenance4Properties maintenance4{};
    maintenance4.sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_MAINTENANCE_4_PROPERTIES;
    VkPhysicalDeviceMaintenance3Properties maintenance3{};
    maintenance3.sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_MAINTENANCE_3_PROPERTIES;
    maintenance3.pNext = has_maintenance4 ? &maintenance4 : nullptr;
    context.descriptor_buffer.sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_DESCRIPTOR_BUFFER_PROPERTIES_EXT;
    context.descriptor_buffer.pNext = nullptr;
    if (has_descriptor_buffer) {
        context.descriptor_buffer.pNext = maintenance3.pNext;
        maintenance3.pNext = &context.descriptor_buffer;
    }
    VkPhysicalDeviceProperties2 properties{};
    properties.sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_PROPERTIES_2;
    properties.pNext = &maintenance3;
    context.instance->functions().get_properties2(context.physical, &properties);
    context.limits = properties.properties.limits;
    context.max_allocation_bytes = maintenance3.maxMemoryAllocationSize;
    context.max_buffer_bytes = has_maintenance4 ? maintenance4.maxBufferSize : ~0ull;
    context.instance->functions().get_memory_properties(context.physical, &context.memory);
}

Status choose_queues(OpenDevice& context) {
    const InstanceFunctions& functions = context.instance->functions();
    std::uint32_t count = 0;
    functions.get_queue_family_properties(context.physical, &count, nullptr);
    std::vector<VkQueueFamilyProperties> families(count);
    functions.get_queue_family_properties(context.physical, &count, families.data());
    families.resize(count);
    for (const device::EngineInfo& engine : choose_engines(families)) {
        const std::uint32_t family = engine.queue_family.value;
        context.queues.push_back({.info = engine,
                                  .flags = engine_flags(engine.kind, families[family].queueFlags),
                                  .timestamp_valid_bits = families[family].timestampValidBits});
        if (std::ranges::find(context.queue_families, family) == context.queue_families.end()) {
            context.queue_families.push_back(family);
        }
    }
    if (context.queues.empty()) {
        return fail(ErrorCode::kNotSupported, "the device has no queue family for graphics or compute work",
                    "vkGetPhysicalDeviceQueueFamilyProperties");
    }
    return {};
}

}  // namespace

Result<std::unique_ptr<OpenDevice>> OpenDevice::create(const Instance& instance, VkPhysicalDevice physical,
                                                       const device::OpenOptions& options) {
    std::unique_ptr<OpenDevice> context(new OpenDevice);
    context->instance = &instance;
    context->physical = physical;
    const InstanceFunctions& functions = instance.functions();

    HEAPWRIGHT_ASSIGN(const PhysicalDevice description, PhysicalDevice::describe(instance, physical));
    const VkPhysicalDeviceProperties& properties = description.properties();
    const std::uint32_t version = description.api_version();
    if (version < VK_API_VERSION_1_1) {
        return fail(ErrorCode::kNotSupported,
                    fmt::format("work on a device needs Vulkan 1.1; {} has {}.{}", driver_text(properties.deviceName),
                                VK_API_VERSION_MAJOR(version), VK_API_VERSION_MINOR(version)));
    }

    Extensions extensions(description);
    FeatureChain features;
    features.core.sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_FEATURES_2;
    const bool core12 = version >= VK_API_VERSION_1_2;
    const bool core13 = version >= VK_API_VERSION_1_3;
    if (core12 || extensions.enable_if_present(VK_KHR_TIMELINE_SEMAPHORE_EXTENSION_NAME)) {
        features.add(features.timeline, VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_TIMELINE_SEMAPHORE_FEATURES);
    }
    if (core12 || extensions.enable_if_present(VK_KHR_BUFFER_DEVICE_ADDRESS_EXTENSION_NAME)) {
        features.add(features.address, VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_BUFFER_DEVICE_ADDRESS_FEATURES);
    }
    if (core12 || extensions.enable_if_present(VK_EXT_HOST_QUERY_RESET_EXTENSION_NAME)) {
        features.add(features.query_reset, VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_HOST_QUERY_RESET_FEATURES);
    }
    const bool has_maintenance4 = core13 || extensions.enable_if_present(VK_KHR_MAINTENANCE_4_EXTENSION_NAME);
    if (has_maintenance4) {
        features.add(features.maintenance4, VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_MAINTENANCE_4_FEATURES);
    }
    if (options.memory_priority && extensions.enable_if_present(VK_EXT_MEMORY_PRIORITY_EXTENSION_NAME)) {
        features.add(features.priority, VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_MEMORY_PRIORITY_FEATURES_EXT);
    }
    // Vulkan 1.2 has all else that these two need.
    if (core12 && description.has_extension(VK_KHR_DEFERRED_HOST_OPERATIONS_EXTENSION_NAME) &&
        extensions.enable_if_present(VK_KHR_ACCELERATION_STRUCTURE_EXTENSION_NAME)) {
        extensions.enable_if_present(VK_KHR_DEFERRED_HOST_OPERATIONS_EXTENSION_NAME);
        features.add(features.acceleration, VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_ACCELERATION_STRUCTURE_FEATURES_KHR);
        if (extensions.enable_if_present(VK_KHR_RAY_TRACING_PIPELINE_EXTENSION_NAME)) {
            features.add(features.ray_tracing, VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_RAY_TRACING_PIPELINE_FEATURES_KHR);
        }
    }
    DescriptorFeatures& descriptors = features.descriptors;
    descriptors.has_indexing = core12 || (extensions.enable_if_present(VK_KHR_MAINTENANCE_3_EXTENSION_NAME) &&
                                          extensions.enable_if_present(VK_EXT_DESCRIPTOR_INDEXING_EXTENSION_NAME));
    descriptors.has_rendering = core13;
    descriptors.has_mutable_type = extensions.enable_if_present(VK_EXT_MUTABLE_DESCRIPTOR_TYPE_EXTENSION_NAME);
    descriptors.has_buffer = core13 && extensions.enable_if_present(VK_EXT_DESCRIPTOR_BUFFER_EXTENSION_NAME);
    if (descriptors.has_indexing) {
        features.add(descriptors.indexing, VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_DESCRIPTOR_INDEXING_FEATURES);
    }
    if (descriptors.has_rendering) {
        features.add(descriptors.rendering, VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_DYNAMIC_RENDERING_FEATURES);
    }
    if (descriptors.has_mutable_type) {
        features.add(descriptors.mutable_type, VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_MUTABLE_DESCRIPTOR_TYPE_FEATURES_EXT);
    }
    if (descriptors.has_buffer) {
        features.add(descriptors.buffer, VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_DESCRIPTOR_BUFFER_FEATURES_EXT);
    }
    context->enabled.calibrated_timestamps =
        extensions.enable_if_present(VK_EXT_CALIBRATED_TIMESTAMPS_EXTENSION_NAME) ||
        extensions.enable_if_present("VK_KHR_calibrated_timestamps");
    context->enabled.memory_budget = extensions.enable_if_present(VK_EXT_MEMORY_BUDGET_EXTENSION_NAME);
    // The specification obliges a program to enable this one wherever it is listed.
    extensions.enable_if_present("VK_KHR_portability_subset");

    leave_breadcrumb("vkGetPhysicalDeviceFeatures2");
    functions.get_features2(physical, &features.core);
    if (features.timeline.timelineSemaphore == VK_FALSE) {
        return fail(ErrorCode::kNotSupported,
                    fmt::format("{} has no timeline semaphores (Vulkan 1.2 or VK_KHR_timeline_semaphore)",
                                driver_text(properties.deviceName)),
                    "vkGetPhysicalDeviceFeatures2");
    }
    features.keep_only_used();
    HEAPWRIGHT_ASSIGN(context->descriptors,
                      device::plan_descriptors(
                          read_descriptor_abilities(instance, physical, features.core.features, features.descriptors,
                                                    features.address.bufferDeviceAddress == VK_TRUE),
                          options.descriptor_form));
    context->enabled.dynamic_rendering = descriptors.rendering.dynamicRendering == VK_TRUE;
    context->enabled.sampler_anisotropy = features.core.features.samplerAnisotropy == VK_TRUE;
    context->enabled.maintenance4 = features.maintenance4.maintenance4 == VK_TRUE;
    context->enabled.buffer_device_address = features.address.bufferDeviceAddress == VK_TRUE;
    context->enabled.acceleration_structures = features.acceleration.accelerationStructure == VK_TRUE;
    context->enabled.ray_tracing_pipelines = features.ray_tracing.rayTracingPipeline == VK_TRUE;
    context->enabled.host_query_reset = features.query_reset.hostQueryReset == VK_TRUE;
    context->enabled.memory_priority = features.priority.memoryPriority == VK_TRUE;
    read_limits(*context, has_maintenance4, descriptors.has_buffer);
    HEAPWRIGHT_TRY(choose_queues(*context));

    std::vector<std::vector<float>> priorities(context->queue_families.size());
    std::vector<VkDeviceQueueCreateInfo> queue_infos;
    for (std::size_t i = 0; i < context->queue_families.size(); ++i) {
        const std::uint32_t family = context->queue_families[i];
        // Engines take a family's queues in the order of its numbers.
        for (const DeviceQueue& queue : context->queues) {
            if (queue.info.queue_family.value == family) {
                priorities[i].push_back(queue_priority(queue.info.priority));
            }
        }
        queue_infos.push_back({.sType = VK_STRUCTURE_TYPE_DEVICE_QUEUE_CREATE_INFO,
                               .pNext = nullptr,
                               .flags = 0,
                               .queueFamilyIndex = family,
                               .queueCount = static_cast<std::uint32_t>(priorities[i].size()),
                               .pQueuePriorities = priorities[i].data()});
    }
    const VkDeviceCreateInfo info{
        .sType = VK_STRUCTURE_TYPE_DEVICE_CREATE_INFO,
        .pNext = &features.core,
        .flags = 0,
        .queueCreateInfoCount = static_cast<std::uint32_t>(queue_infos.size()),
        .pQueueCreateInfos = queue_infos.data(),
        .enabledLayerCount = 0,
        .ppEnabledLayerNames = nullptr,
        .enabledExtensionCount = static_cast<std::uint32_t>(extensions.enabled().size()),
        .ppEnabledExtensionNames = extensions.enabled().data(),
        .pEnabledFeatures = nullptr,
    };
    leave_breadcrumb("vkCreateDevice", driver_text(properties.deviceName));
    const VkResult created = functions.create_device(physical, &info, nullptr, &context->handle);
    if (created != VK_SUCCESS) {
        context->handle = VK_NULL_HANDLE;
        return fail(call_error(created, "vkCreateDevice", driver_text(properties.deviceName)));
    }
    context->call.load(context->handle);
    use_extension_names(context->call, version);
    if (context->enabled.calibrated_timestamps && context->call.vkGetCalibratedTimestampsEXT == nullptr) {
        context->call.vkGetCalibratedTimestampsEXT = reinterpret_cast<PFN_vkGetCalibratedTimestampsEXT>(
            functions.get_device_proc_addr(context->handle, "vkGetCalibratedTimestampsKHR"));
    }
    for (DeviceQueue& queue : context->queues) {
        context->call.vkGetDeviceQueue(context->handle, queue.info.queue_family.value, queue.info.queue, &queue.queue);
    }
    return context;
}

Result<std::unique_ptr<OpenDevice>> OpenDevice::adopt(const Instance& instance, VkPhysicalDevice physical,
                                                      VkDevice device, PFN_vkGetDeviceProcAddr get_proc_addr,
                                                      const EnabledFeatures& enabled) {
    if (physical == VK_NULL_HANDLE || device == VK_NULL_HANDLE || get_proc_addr == nullptr) {
        return fail(ErrorCode::kInvalidArgument, "a physical device, a device and its vkGetDeviceProcAddr are needed");
    }
    std::unique_ptr<OpenDevice> context(new OpenDevice);
    context->adopted_ = true;
    context->instance = &instance;
    context->physical = physical;
    context->handle = device;
    context->enabled = enabled;
    HEAPWRIGHT_ASSIGN(const PhysicalDevice description, PhysicalDevice::describe(instance, physical));
    const std::uint32_t version = description.api_version();
    if (version < VK_API_VERSION_1_1) {
        return fail(ErrorCode::kNotSupported,
                    fmt::format("work on a device needs Vulkan 1.1; {} has {}.{}",
                                driver_text(description.properties().deviceName), VK_API_VERSION_MAJOR(version),
                                VK_API_VERSION_MINOR(version)));
    }
    const bool core13 = version >= VK_API_VERSION_1_3;
    read_limits(*context, core13 || enabled.maintenance4, false);

    std::string missing;
    const auto load = [&](auto& function, const char* name) {
        using Function = typename std::remove_reference_t<decltype(function)>::Function;
        function = reinterpret_cast<Function>(get_proc_addr(device, name));
        if (function == nullptr) missing += fmt::format(" {}", name);
    };
    DeviceCalls& call = context->call;
    load(call.vkAllocateMemory, "vkAllocateMemory");
    load(call.vkFreeMemory, "vkFreeMemory");
    load(call.vkMapMemory, "vkMapMemory");
    load(call.vkUnmapMemory, "vkUnmapMemory");
    load(call.vkFlushMappedMemoryRanges, "vkFlushMappedMemoryRanges");
    load(call.vkInvalidateMappedMemoryRanges, "vkInvalidateMappedMemoryRanges");
    load(call.vkCreateBuffer, "vkCreateBuffer");
    load(call.vkDestroyBuffer, "vkDestroyBuffer");
    load(call.vkCreateImage, "vkCreateImage");
    load(call.vkDestroyImage, "vkDestroyImage");
    load(call.vkGetBufferMemoryRequirements2, "vkGetBufferMemoryRequirements2");
    load(call.vkGetImageMemoryRequirements2, "vkGetImageMemoryRequirements2");
    load(call.vkBindBufferMemory, "vkBindBufferMemory");
    load(call.vkBindImageMemory, "vkBindImageMemory");
    if (enabled.maintenance4) {
        load(call.vkGetDeviceBufferMemoryRequirements,
             core13 ? "vkGetDeviceBufferMemoryRequirements" : "vkGetDeviceBufferMemoryRequirementsKHR");
        load(call.vkGetDeviceImageMemoryRequirements,
             core13 ? "vkGetDeviceImageMemoryRequirements" : "vkGetDeviceImageMemoryRequirementsKHR");
    }
    if (!missing.empty()) {
        return fail(ErrorCode::kInvalidArgument, "it gives no" + missing, "vkGetDeviceProcAddr");
    }
    return context;
}

OpenDevice::~OpenDevice() {
    if (adopted_ || handle == VK_NULL_HANDLE) return;
    if (!ended_semaphores_.empty()) call.vkDeviceWaitIdle(handle);
    for (const VkSemaphore semaphore : ended_semaphores_) call.vkDestroySemaphore(handle, semaphore, nullptr);
    call.vkDestroyDevice(handle, nullptr);
}

void OpenDevice::end_semaphore(VkSemaphore semaphore) const noexcept {
    const std::scoped_lock lock(ended_mutex_);
    ended_semaphores_.push_back(semaphore);
}

// The model's bits are the specification's.
static_assert(model::queue_flag::kGraphics == VK_QUEUE_GRAPHICS_BIT);
static_assert(model::queue_flag::kCompute == VK_QUEUE_COMPUTE_BIT);
static_assert(model::queue_flag::kTransfer == VK_QUEUE_TRANSFER_BIT);

std::vector<device::EngineInfo> choose_engines(std::span<const VkQueueFamilyProperties> families) {
    std::vector<model::QueueFamily> plain;
    plain.reserve(families.size());
    for (const VkQueueFamilyProperties& family : families) {
        plain.push_back({.flags = family.queueFlags, .queue_count = family.queueCount});
    }
    return device::choose_engines(plain);
}

float queue_priority(device::EnginePriority priority) {
    switch (priority) {
        case device::EnginePriority::kLow: return 0.0f;
        case device::EnginePriority::kNormal: break;
        case device::EnginePriority::kHigh: return 1.0f;
    }
    return 0.5f;
}

VkQueueFlags engine_flags(device::EngineKind kind, VkQueueFlags family_flags) {
    switch (kind) {
        case device::EngineKind::kGraphics: break;
        case device::EngineKind::kCompute: return family_flags & ~VkQueueFlags{VK_QUEUE_GRAPHICS_BIT};
        case device::EngineKind::kCopy:
            return family_flags & ~VkQueueFlags{VK_QUEUE_GRAPHICS_BIT | VK_QUEUE_COMPUTE_BIT};
    }
    return family_flags;
}

}  // namespace heapwright::vulkan
