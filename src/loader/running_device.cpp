#include "loader/running_device.hpp"

#include <fmt/format.h>

#include <algorithm>

namespace heapwright::loader {
namespace {

constexpr std::uint32_t kMostMemoryTypes = 32;  // VK_MAX_MEMORY_TYPES
constexpr std::uint32_t kMostHeaps = 16;        // VK_MAX_MEMORY_HEAPS

std::string text(const char* given) {
    return given == nullptr ? std::string() : std::string(given);
}

Status check(const heapwright_device& device) {
    const auto out_of_range = [](std::string what, std::uint64_t value, std::uint64_t limit) {
        return fail({.code = ErrorCode::kInvalidArgument, .message = std::move(what), .value = value, .limit = limit});
    };
    if (device.api > HEAPWRIGHT_API_D3D12) return out_of_range("device.api is unknown", device.api, 1);
    if (device.heap_count == 0 || device.heap_count > kMostHeaps || device.heaps == nullptr) {
        return out_of_range("device.heaps holds none or too many", device.heap_count, kMostHeaps);
    }
    if (device.memory_type_count == 0 || device.memory_type_count > kMostMemoryTypes ||
        device.memory_types == nullptr) {
        return out_of_range("device.memory_types holds none or too many", device.memory_type_count, kMostMemoryTypes);
    }
    for (std::uint32_t i = 0; i < device.memory_type_count; ++i) {
        if (device.memory_types[i].heap_index < device.heap_count) continue;
        return out_of_range(fmt::format("device.memory_types[{}].heap_index names no heap", i),
                            device.memory_types[i].heap_index, device.heap_count);
    }
    return {};
}

void add_limit(RunningDevice& running, std::string_view group, model::FactName name, std::uint64_t value) {
    if (value == 0) return;
    running.limits.push_back({.group = std::string(group), .name = std::string(name.text()), .value = value});
}

model::D3d12HeapType d3d12_heap_type(std::uint32_t flags) {
    const bool on_device = (flags & model::memory_property::kDeviceLocal) != 0;
    const bool visible = (flags & model::memory_property::kHostVisible) != 0;
    if (on_device) return visible ? model::D3d12HeapType::kGpuUpload : model::D3d12HeapType::kDefault;
    return (flags & model::memory_property::kHostCached) != 0 ? model::D3d12HeapType::kReadback
                                                              : model::D3d12HeapType::kUpload;
}

}  // namespace

Result<RunningDevice> running_device(const heapwright_device& device) {
    HEAPWRIGHT_TRY(check(device));
    RunningDevice running;
    const bool d3d12 = device.api == HEAPWRIGHT_API_D3D12;
    running.identity.api = d3d12 ? model::Api::kD3d12 : model::Api::kVulkan;
    running.identity.name = text(device.name);
    running.identity.type = static_cast<model::DeviceType>(std::min<std::uint32_t>(device.device_type, 4));
    running.identity.vendor_id = device.vendor_id;
    running.identity.device_id = device.device_id;
    running.identity.driver_id = text(device.driver_id);
    running.identity.driver_name = text(device.driver_name);
    running.identity.driver_info = text(device.driver_info);
    running.identity.driver_version = device.driver_version;
    for (std::uint32_t i = 0; i < device.heap_count; ++i) {
        const heapwright_heap& heap = device.heaps[i];
        running.heaps.push_back({.size_bytes = heap.size_bytes, .flags = heap.flags});
        running.budget_bytes.push_back(heap.budget_bytes);
    }
    for (std::uint32_t i = 0; i < device.memory_type_count; ++i) {
        const heapwright_memory_type& type = device.memory_types[i];
        running.memory_types.push_back(
            {.heap_index = type.heap_index,
             .property_flags = type.property_flags,
             .d3d12_heap_type = d3d12 ? d3d12_heap_type(type.property_flags) : model::D3d12HeapType::kNone,
             .resource_classes = {}});
    }
    add_limit(running, "VkPhysicalDeviceLimits", "maxMemoryAllocationCount", device.max_memory_allocation_count);
    add_limit(running, "VkPhysicalDeviceLimits", "bufferImageGranularity", device.buffer_image_granularity);
    add_limit(running, "VkPhysicalDeviceLimits", "nonCoherentAtomSize", device.non_coherent_atom_bytes);
    add_limit(running, "VkPhysicalDeviceMaintenance3Properties", "maxMemoryAllocationSize",
              device.max_memory_allocation_bytes);
    return running;
}

}  // namespace heapwright::loader
