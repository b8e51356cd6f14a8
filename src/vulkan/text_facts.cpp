#include "vulkan/facts.hpp"

#include <algorithm>
#include <iterator>
#include <string>
#include <vector>

#include <fmt/format.h>

#include "core/breadcrumb.hpp"
#include "core/utf8.hpp"
#include "vulkan/later_structures.hpp"

namespace heapwright::vulkan {
namespace {

constexpr const char* kHostImageCopy = "VK_EXT_host_image_copy";
constexpr const char* kMaintenance7 = "VK_KHR_maintenance7";
// More layers than any stack has; a driver that counts more is not believed.
constexpr std::uint32_t kMostLayers = 64;

// Whether the device can be asked; if not, why not is noted.
bool can_ask(const Instance& instance, const PhysicalDevice& device, std::uint32_t core_version, const char* extension,
             const char* structure, model::DeviceReport& report) {
    if (instance.functions().get_properties2 != nullptr && device.provides(core_version, extension)) return true;
    report.unreported.push_back({.name = structure, .reason = why_unreported(instance, core_version, extension)});
    return false;
}

void ask(const Instance& instance, const PhysicalDevice& device, void* structure, const char* what) {
    VkPhysicalDeviceProperties2 properties{};
    properties.sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_PROPERTIES_2;
    properties.pNext = structure;
    leave_breadcrumb("vkGetPhysicalDeviceProperties2", what);
    instance.functions().get_properties2(device.handle(), &properties);
}

std::string layered_api_name(std::int32_t api) {
    constexpr const char* kNames[] = {"VULKAN", "D3D12", "METAL", "OPENGL", "OPENGLES"};
    if (api >= 0 && api < static_cast<std::int32_t>(std::size(kNames))) return kNames[api];
    return fmt::format("LAYERED_API_{}", api);
}

}  // namespace

void read_texts(const Instance& instance, const PhysicalDevice& device, model::DeviceReport& report) {
    can_ask(instance, device, VK_API_VERSION_1_2, VK_KHR_DRIVER_PROPERTIES_EXTENSION_NAME,
            "VkPhysicalDeviceDriverProperties", report);
    can_ask(instance, device, VK_API_VERSION_1_1, "", "VkPhysicalDeviceIDProperties", report);
    if (!device.provides(VK_API_VERSION_1_1, VK_KHR_GET_MEMORY_REQUIREMENTS_2_EXTENSION_NAME) ||
        !device.provides(VK_API_VERSION_1_1, VK_KHR_DEDICATED_ALLOCATION_EXTENSION_NAME)) {
        report.unreported.push_back({.name = "VkMemoryDedicatedRequirements",
                                     .reason = "the device has neither Vulkan 1.1 nor VK_KHR_dedicated_allocation"});
    }
    if (!can_ask(instance, device, 0, kHostImageCopy, "optimalTilingLayoutUUID", report)) return;
    later::HostImageCopyProperties host_copy{};
    host_copy.sType = later::kHostImageCopyProperties;
    ask(instance, device, &host_copy, "host image copy");
    std::string uuid;
    for (const std::uint8_t byte : host_copy.optimalTilingLayoutUUID) {
        fmt::format_to(std::back_inserter(uuid), "{:02x}", byte);
    }
    report.texts.push_back({.group = "VkPhysicalDeviceHostImageCopyProperties",
                            .name = "optimalTilingLayoutUUID",
                            .value = std::move(uuid)});
}

void read_layered_apis(const Instance& instance, const PhysicalDevice& device, model::DeviceReport& report) {
    constexpr const char* kStructure = "VkPhysicalDeviceLayeredApiPropertiesListKHR";
    if (!can_ask(instance, device, 0, kMaintenance7, kStructure, report)) return;
    later::LayeredApiPropertiesList list{};
    list.sType = later::kLayeredApiPropertiesList;
    ask(instance, device, &list, "layered APIs");
    const std::uint32_t count = std::min(list.layeredApiCount, kMostLayers);
    if (count == 0) {
        report.unreported.push_back({.name = kStructure, .reason = "the device is a layer over no other API"});
        return;
    }
    later::LayeredApiProperties empty{};
    empty.sType = later::kLayeredApiProperties;
    std::vector<later::LayeredApiProperties> layers(count, empty);
    list.layeredApiCount = count;
    list.pLayeredApis = layers.data();
    ask(instance, device, &list, "layered APIs");
    layers.resize(std::min(list.layeredApiCount, count));
    for (const later::LayeredApiProperties& layer : layers) {
        report.layered_apis.push_back({.api = layered_api_name(layer.layeredAPI),
                                       .vendor_id = layer.vendorID,
                                       .device_id = layer.deviceID,
                                       .name = driver_text(layer.deviceName)});
    }
}

}  // namespace heapwright::vulkan
