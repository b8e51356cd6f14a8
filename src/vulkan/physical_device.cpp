#include "vulkan/physical_device.hpp"

#include <algorithm>
#include <span>

#include <fmt/format.h>

#include "core/breadcrumb.hpp"
#include "core/utf8.hpp"
#include "vulkan/call.hpp"
#include "vulkan/facts.hpp"

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

namespace {

std::string hexadecimal(std::span<const std::uint8_t> bytes) {
    std::string text;
    text.reserve(bytes.size() * 2);
    for (const std::uint8_t byte : bytes) fmt::format_to(std::back_inserter(text), "{:02x}", byte);
    return text;
}

std::string version_text(std::uint32_t version) {
    return fmt::format("{}.{}.{}", VK_API_VERSION_MAJOR(version), VK_API_VERSION_MINOR(version),
                       VK_API_VERSION_PATCH(version));
}

model::DeviceType device_type(VkPhysicalDeviceType type) {
    switch (type) {
        case VK_PHYSICAL_DEVICE_TYPE_INTEGRATED_GPU: return model::DeviceType::kIntegratedGpu;
        case VK_PHYSICAL_DEVICE_TYPE_DISCRETE_GPU: return model::DeviceType::kDiscreteGpu;
        case VK_PHYSICAL_DEVICE_TYPE_VIRTUAL_GPU: return model::DeviceType::kVirtualGpu;
        case VK_PHYSICAL_DEVICE_TYPE_CPU: return model::DeviceType::kCpu;
        default: return model::DeviceType::kOther;
    }
}

template <class Structure>
void link(VkPhysicalDeviceProperties2& head, Structure& structure, VkStructureType type) {
    structure.sType = type;
    structure.pNext = head.pNext;
    head.pNext = &structure;
}

}  // namespace

std::string driver_id_name(VkDriverId id) {
    switch (static_cast<int>(id)) {
        case 1: return "AMD_PROPRIETARY";
        case 2: return "AMD_OPEN_SOURCE";
        case 3: return "MESA_RADV";
        case 4: return "NVIDIA_PROPRIETARY";
        case 5: return "INTEL_PROPRIETARY_WINDOWS";
        case 6: return "INTEL_OPEN_SOURCE_MESA";
        case 7: return "IMAGINATION_PROPRIETARY";
        case 8: return "QUALCOMM_PROPRIETARY";
        case 9: return "ARM_PROPRIETARY";
        case 10: return "GOOGLE_SWIFTSHADER";
        case 11: return "GGP_PROPRIETARY";
        case 12: return "BROADCOM_PROPRIETARY";
        case 13: return "MESA_LLVMPIPE";
        case 14: return "MOLTENVK";
        case 15: return "COREAVI_PROPRIETARY";
        case 16: return "JUICE_PROPRIETARY";
        case 17: return "VERISILICON_PROPRIETARY";
        case 18: return "MESA_TURNIP";
        case 19: return "MESA_V3DV";
        case 20: return "MESA_PANVK";
        case 21: return "SAMSUNG_PROPRIETARY";
        case 22: return "MESA_VENUS";
        case 23: return "MESA_DOZEN";
        case 24: return "MESA_NVK";
        case 25: return "IMAGINATION_OPEN_SOURCE_MESA";
        case 26: return "MESA_HONEYKRISP";
        case 27: return "VULKAN_SC_EMULATION_ON_VULKAN";
        default: return fmt::format("DRIVER_ID_{}", static_cast<int>(id));
    }
}

model::DeviceIdentity read_identity(const Instance& instance, const PhysicalDevice& device) {
    const VkPhysicalDeviceProperties& core = device.properties();
    model::DeviceIdentity identity;
    identity.api = model::Api::kVulkan;
    identity.name = driver_text(core.deviceName);
    identity.type = device_type(core.deviceType);
    identity.vendor_id = core.vendorID;
    identity.device_id = core.deviceID;
    identity.driver_version = core.driverVersion;
    identity.api_version = version_text(core.apiVersion);
    if (instance.functions().get_properties2 == nullptr) return identity;

    const bool has_driver = device.provides(VK_API_VERSION_1_2, VK_KHR_DRIVER_PROPERTIES_EXTENSION_NAME);
    const bool has_pci = device.provides(0, VK_EXT_PCI_BUS_INFO_EXTENSION_NAME);
    const bool has_ids = device.provides(VK_API_VERSION_1_1, "");
    VkPhysicalDeviceProperties2 properties{};
    properties.sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_PROPERTIES_2;
    VkPhysicalDeviceDriverProperties driver{};
    VkPhysicalDevicePCIBusInfoPropertiesEXT pci{};
    VkPhysicalDeviceIDProperties ids{};
    if (has_driver) link(properties, driver, VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_DRIVER_PROPERTIES);
    if (has_pci) link(properties, pci, VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_PCI_BUS_INFO_PROPERTIES_EXT);
    if (has_ids) link(properties, ids, VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_ID_PROPERTIES);
    leave_breadcrumb("vkGetPhysicalDeviceProperties2", "identity");
    instance.functions().get_properties2(device.handle(), &properties);

    if (has_driver) {
        identity.driver_id = driver_id_name(driver.driverID);
        identity.driver_name = driver_text(driver.driverName);
        identity.driver_info = driver_text(driver.driverInfo);
        const VkConformanceVersion& version = driver.conformanceVersion;
        if (version.major != 0) {
            identity.conformance_version =
                fmt::format("{}.{}.{}.{}", version.major, version.minor, version.subminor, version.patch);
        }
    }
    if (has_ids) {
        identity.device_uuid = hexadecimal(ids.deviceUUID);
        identity.driver_uuid = hexadecimal(ids.driverUUID);
        if (ids.deviceLUIDValid == VK_TRUE) identity.luid = hexadecimal(ids.deviceLUID);
    }
    if (has_pci) {
        identity.pci = model::PciAddress{
            .domain = pci.pciDomain, .bus = pci.pciBus, .device = pci.pciDevice, .function = pci.pciFunction};
    }
    return identity;
}

}  // namespace heapwright::vulkan
