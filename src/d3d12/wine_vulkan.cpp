#include "d3d12/wine_vulkan.hpp"

#include <cstring>
#include <vector>

#include <windows.h>

#include "core/breadcrumb.hpp"
#include "core/windows_text.hpp"

namespace heapwright::d3d12 {
namespace {

struct Vulkan {
    VkInstance instance = VK_NULL_HANDLE;
    PFN_vkGetInstanceProcAddr get = nullptr;

    template <class Function>
    [[nodiscard]] Function function(const char* name) const {
        return reinterpret_cast<Function>(get(instance, name));
    }
};

// No instance where there is no Vulkan.
Vulkan open_vulkan() {
    Vulkan vulkan;
    leave_breadcrumb("LoadLibrary", "vulkan-1.dll");
    const HMODULE library = LoadLibraryW(L"vulkan-1.dll");
    if (library == nullptr) return vulkan;
    auto* symbol = reinterpret_cast<void (*)()>(GetProcAddress(library, "vkGetInstanceProcAddr"));
    if (symbol == nullptr) return vulkan;
    vulkan.get = reinterpret_cast<PFN_vkGetInstanceProcAddr>(symbol);
    const auto create = vulkan.function<PFN_vkCreateInstance>("vkCreateInstance");
    if (create == nullptr) return vulkan;
    const char* const extensions[] = {VK_KHR_GET_PHYSICAL_DEVICE_PROPERTIES_2_EXTENSION_NAME,
                                      VK_KHR_EXTERNAL_MEMORY_CAPABILITIES_EXTENSION_NAME};
    VkInstanceCreateInfo info{};
    info.sType = VK_STRUCTURE_TYPE_INSTANCE_CREATE_INFO;
    info.enabledExtensionCount = static_cast<std::uint32_t>(std::size(extensions));
    info.ppEnabledExtensionNames = extensions;
    leave_breadcrumb("vkCreateInstance");
    if (create(&info, nullptr, &vulkan.instance) != VK_SUCCESS) vulkan.instance = VK_NULL_HANDLE;
    return vulkan;
}

std::vector<VkPhysicalDevice> devices_of(const Vulkan& vulkan) {
    const auto enumerate = vulkan.function<PFN_vkEnumeratePhysicalDevices>("vkEnumeratePhysicalDevices");
    std::uint32_t count = 0;
    leave_breadcrumb("vkEnumeratePhysicalDevices");
    if (enumerate == nullptr || enumerate(vulkan.instance, &count, nullptr) != VK_SUCCESS) return {};
    std::vector<VkPhysicalDevice> devices(count);
    if (enumerate(vulkan.instance, &count, devices.data()) != VK_SUCCESS) return {};
    devices.resize(count);
    return devices;
}

VkPhysicalDevice choose(const Vulkan& vulkan, const DxgiAdapterIds& adapter) {
    const std::vector<VkPhysicalDevice> devices = devices_of(vulkan);
    if (devices.size() == 1) return devices.front();
    const auto query = vulkan.function<PFN_vkGetPhysicalDeviceProperties2>("vkGetPhysicalDeviceProperties2KHR");
    if (query == nullptr) return VK_NULL_HANDLE;
    VkPhysicalDevice of_these_numbers = VK_NULL_HANDLE;
    for (const VkPhysicalDevice device : devices) {
        VkPhysicalDeviceIDProperties ids{};
        ids.sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_ID_PROPERTIES;
        VkPhysicalDeviceProperties2 properties{};
        properties.sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_PROPERTIES_2;
        properties.pNext = &ids;
        leave_breadcrumb("vkGetPhysicalDeviceProperties2KHR");
        query(device, &properties);
        std::uint64_t luid = 0;
        std::memcpy(&luid, ids.deviceLUID, sizeof luid);
        if (ids.deviceLUIDValid != VK_FALSE && luid == adapter.luid) return device;
        if (properties.properties.vendorID == adapter.vendor_id &&
            properties.properties.deviceID == adapter.device_id && of_these_numbers == VK_NULL_HANDLE) {
            of_these_numbers = device;
        }
    }
    return of_these_numbers;
}

}  // namespace

std::optional<VulkanBeneath> vulkan_beneath_wine(const DxgiAdapterIds& adapter) {
    if (!wine_version()) return std::nullopt;
    static const Vulkan vulkan = open_vulkan();
    if (vulkan.instance == VK_NULL_HANDLE) return std::nullopt;
    const VkPhysicalDevice device = choose(vulkan, adapter);
    if (device == VK_NULL_HANDLE) return std::nullopt;
    return VulkanBeneath(vulkan.instance, device, vulkan.get);
}

}  // namespace heapwright::d3d12
