#include "vulkan/physical_device.hpp"

#include <algorithm>

#include "core/breadcrumb.hpp"
#include "vulkan/call.hpp"

namespace heapwright::vulkan {
namespace {

Result<std::vector<model::Extension>> read_extensions(const InstanceFunctions& functions, VkPhysicalDevice device) {
    constexpr std::string_view kCall = "vkEnumerateDeviceExtensionProperties";
    leave_breadcrumb(kCall);
    std::vector<VkExtensionProperties> listed;
    VkResult result = VK_INCOMPLETE;
    while (result == VK_INCOMPLETE) {
        std::uint32_t count = 0;
        HEAPWRIGHT_TRY(check(functions.enumerate_device_extensions(device, nullptr, &count, nullptr), kCall));
        listed.resize(count);
        result = functions.enumerate_device_extensions(device, nullptr, &count, listed.data());
        HEAPWRIGHT_TRY(check(result, kCall));
        listed.resize(count);
    }
    std::vector<model::Extension> extensions;
    extensions.reserve(listed.size());
    for (const VkExtensionProperties& entry : listed) {
        extensions.push_back({.name = entry.extensionName, .spec_version = entry.specVersion});
    }
    std::sort(extensions.begin(), extensions.end(),
              [](const model::Extension& a, const model::Extension& b) { return a.name < b.name; });
    return extensions;
}

}  // namespace

Result<PhysicalDevice> PhysicalDevice::describe(const Instance& instance, VkPhysicalDevice handle) {
    PhysicalDevice device;
    device.handle_ = handle;
    leave_breadcrumb("vkGetPhysicalDeviceProperties");
    instance.functions().get_properties(handle, &device.properties_);
    // The patch number changes nothing that may be used.
    const std::uint32_t own = VK_MAKE_API_VERSION(VK_API_VERSION_VARIANT(device.properties_.apiVersion),
                                                  VK_API_VERSION_MAJOR(device.properties_.apiVersion),
                                                  VK_API_VERSION_MINOR(device.properties_.apiVersion), 0);
    device.api_version_ = std::min(own, instance.api_version());
    HEAPWRIGHT_ASSIGN(device.extensions_, read_extensions(instance.functions(), handle));
    return device;
}

bool PhysicalDevice::has_extension(std::string_view name) const {
    const auto entry =
        std::lower_bound(extensions_.begin(), extensions_.end(), name,
                         [](const model::Extension& extension, std::string_view key) { return extension.name < key; });
    return entry != extensions_.end() && entry->name == name;
}

bool PhysicalDevice::provides(std::uint32_t core_version, std::string_view extension) const {
    return (core_version != 0 && api_version_ >= core_version) || (!extension.empty() && has_extension(extension));
}

}  // namespace heapwright::vulkan
