#include "d3d12/vulkan_beneath.hpp"

#include <algorithm>
#include <cstdint>

#include <fmt/format.h>

#include "core/breadcrumb.hpp"
#include "core/utf8.hpp"

namespace heapwright::d3d12 {
namespace {

model::DeviceType type_of(VkPhysicalDeviceType type) {
    switch (type) {
        case VK_PHYSICAL_DEVICE_TYPE_INTEGRATED_GPU: return model::DeviceType::kIntegratedGpu;
        case VK_PHYSICAL_DEVICE_TYPE_DISCRETE_GPU: return model::DeviceType::kDiscreteGpu;
        case VK_PHYSICAL_DEVICE_TYPE_VIRTUAL_GPU: return model::DeviceType::kVirtualGpu;
        case VK_PHYSICAL_DEVICE_TYPE_CPU: return model::DeviceType::kCpu;
        default: return model::DeviceType::kOther;
    }
}

std::string hexadecimal(const std::uint8_t (&bytes)[VK_UUID_SIZE]) {
    std::string text;
    for (const std::uint8_t byte : bytes) text += fmt::format("{:02x}", byte);
    return text;
}

}  // namespace

VulkanBeneath::VulkanBeneath(VkInstance instance, VkPhysicalDevice device, PFN_vkGetInstanceProcAddr get)
    : instance_(instance), device_(device), get_(get) {
    const auto list = function<PFN_vkEnumerateDeviceExtensionProperties>("vkEnumerateDeviceExtensionProperties");
    if (list == nullptr) return;
    std::uint32_t count = 0;
    list(device_, nullptr, &count, nullptr);
    std::vector<VkExtensionProperties> listed(count);
    list(device_, nullptr, &count, listed.data());
    listed.resize(std::min<std::size_t>(count, listed.size()));
    for (const VkExtensionProperties& extension : listed) extensions_.emplace_back(extension.extensionName);
}

bool VulkanBeneath::has(std::string_view extension) const {
    return std::find(extensions_.begin(), extensions_.end(), extension) != extensions_.end();
}

void VulkanBeneath::describe(model::DeviceIdentity& identity) const {
    VkPhysicalDeviceDriverProperties driver{};
    driver.sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_DRIVER_PROPERTIES;
    VkPhysicalDeviceIDProperties ids{};
    ids.sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_ID_PROPERTIES;
    VkPhysicalDeviceProperties2 properties{};
    properties.sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_PROPERTIES_2;
    if (has("VK_KHR_driver_properties")) properties.pNext = &driver;
    ids.pNext = properties.pNext;
    properties.pNext = &ids;
    if (const auto query = function<PFN_vkGetPhysicalDeviceProperties2>("vkGetPhysicalDeviceProperties2KHR")) {
        leave_breadcrumb("vkGetPhysicalDeviceProperties2KHR");
        query(device_, &properties);
    } else if (const auto plain = function<PFN_vkGetPhysicalDeviceProperties>("vkGetPhysicalDeviceProperties")) {
        plain(device_, &properties.properties);
    }
    identity.name = driver_text(properties.properties.deviceName);
    identity.type = type_of(properties.properties.deviceType);
    identity.vendor_id = properties.properties.vendorID;
    identity.device_id = properties.properties.deviceID;
    identity.driver_version = properties.properties.driverVersion;
    identity.driver_name = driver_text(driver.driverName);
    identity.driver_info = driver_text(driver.driverInfo);
    identity.device_uuid = hexadecimal(ids.deviceUUID);
    identity.driver_uuid = hexadecimal(ids.driverUUID);
}

AdapterMemory VulkanBeneath::memory() const {
    VkPhysicalDeviceMemoryBudgetPropertiesEXT budget{};
    budget.sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_MEMORY_BUDGET_PROPERTIES_EXT;
    VkPhysicalDeviceMemoryProperties2 memory{};
    memory.sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_MEMORY_PROPERTIES_2;
    const auto query = function<PFN_vkGetPhysicalDeviceMemoryProperties2>("vkGetPhysicalDeviceMemoryProperties2KHR");
    const bool has_budget = query != nullptr && has(VK_EXT_MEMORY_BUDGET_EXTENSION_NAME);
    if (has_budget) memory.pNext = &budget;
    leave_breadcrumb("vkGetPhysicalDeviceMemoryProperties2KHR");
    if (query != nullptr) {
        query(device_, &memory);
    } else if (const auto plain =
                   function<PFN_vkGetPhysicalDeviceMemoryProperties>("vkGetPhysicalDeviceMemoryProperties")) {
        plain(device_, &memory.memoryProperties);
    }
    AdapterMemory result;
    const std::uint32_t heaps = std::min(memory.memoryProperties.memoryHeapCount, VK_MAX_MEMORY_HEAPS);
    for (std::uint32_t i = 0; i < heaps; ++i) {
        const VkMemoryHeap& heap = memory.memoryProperties.memoryHeaps[i];
        const bool local = (heap.flags & VK_MEMORY_HEAP_DEVICE_LOCAL_BIT) != 0;
        std::uint64_t& bytes = local ? result.local_bytes : result.non_local_bytes;
        // vkd3d takes the first fitting memory type; a second heap of a kind is a small window into the first.
        if (heap.size <= bytes) continue;
        bytes = heap.size;
        if (!has_budget) continue;
        (local ? result.local_budget : result.non_local_budget) =
            model::HeapBudget{.budget_bytes = budget.heapBudget[i], .usage_bytes = budget.heapUsage[i]};
    }
    return result;
}

}  // namespace heapwright::d3d12
