// A Vulkan layer that makes a good driver answer what no driver may, or play an older or a layered one. The variable
// HEAPWRIGHT_ODD_DRIVER says how:
//   alignment-3, alignment-0, size-0, no-types, unknown-type   64x64 images and buffers of 4096 bytes are answered so
//   only-unknown-type     the same, and no real memory type beside it
//   true-is-all-ones      every feature that is on is 0xffffffff instead of VK_TRUE
//   type-without-heap     the last memory type names a heap that does not exist
//   version-1.1, version-1.0   the device has this version; version-1.0 has no extension either
//   layered               VK_KHR_maintenance7 with two layers below, and image compression control
// One instance at a time.
#include <vulkan/vk_layer.h>

#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <string_view>
#include <vector>

#include "vulkan/later_structures.hpp"

namespace later = heapwright::vulkan::later;

namespace {

constexpr std::uint32_t kOddSide = 64;
constexpr VkDeviceSize kOddBytes = 4096;
VkInstance instance_ = VK_NULL_HANDLE;
PFN_vkGetInstanceProcAddr next_instance_ = nullptr;
PFN_vkGetDeviceProcAddr next_device_ = nullptr;

std::string_view mode() {
    const char* value = std::getenv("HEAPWRIGHT_ODD_DRIVER");
    return value == nullptr ? std::string_view() : std::string_view(value);
}

// The functions below this layer. They must be taken while the instance or device is being made: later the loader gives
// the top of its chain, which is this layer again.
struct Below {
    PFN_vkGetPhysicalDeviceProperties get_properties = nullptr;
    PFN_vkGetPhysicalDeviceProperties2 get_properties2 = nullptr;
    PFN_vkGetPhysicalDeviceFeatures get_features = nullptr;
    PFN_vkGetPhysicalDeviceMemoryProperties get_memory = nullptr;
    PFN_vkGetPhysicalDeviceMemoryProperties2 get_memory2 = nullptr;
    PFN_vkGetPhysicalDeviceImageFormatProperties2 get_image_format2 = nullptr;
    PFN_vkEnumerateDeviceExtensionProperties enumerate_extensions = nullptr;
    PFN_vkGetDeviceImageMemoryRequirements image_requirements = nullptr;
    PFN_vkGetDeviceBufferMemoryRequirements buffer_requirements = nullptr;
};

Below below_;

template <class Function>
void take(Function& function, const char* name) {
    function = reinterpret_cast<Function>(next_instance_(instance_, name));
}

void take_instance_functions() {
    take(below_.get_properties, "vkGetPhysicalDeviceProperties");
    take(below_.get_properties2, "vkGetPhysicalDeviceProperties2");
    take(below_.get_features, "vkGetPhysicalDeviceFeatures");
    take(below_.get_memory, "vkGetPhysicalDeviceMemoryProperties");
    take(below_.get_memory2, "vkGetPhysicalDeviceMemoryProperties2");
    take(below_.get_image_format2, "vkGetPhysicalDeviceImageFormatProperties2");
    take(below_.enumerate_extensions, "vkEnumerateDeviceExtensionProperties");
}

void spoil(VkMemoryRequirements& answer) {
    if (mode() == "alignment-3") answer.alignment = 3;
    if (mode() == "alignment-0") answer.alignment = 0;
    if (mode() == "size-0") answer.size = 0;
    if (mode() == "no-types") answer.memoryTypeBits = 0;
    if (mode() == "unknown-type") answer.memoryTypeBits |= 0x80000000u;
    if (mode() == "only-unknown-type") answer.memoryTypeBits = 0x80000000u;
}

void spoil(VkPhysicalDeviceProperties& properties) {
    if (mode() == "version-1.1") properties.apiVersion = VK_API_VERSION_1_1;
    if (mode() == "version-1.0") properties.apiVersion = VK_API_VERSION_1_0;
}

void spoil(VkPhysicalDeviceMemoryProperties& memory) {
    if (mode() != "type-without-heap" || memory.memoryTypeCount == VK_MAX_MEMORY_TYPES) return;
    memory.memoryTypes[memory.memoryTypeCount] = {.propertyFlags = 0, .heapIndex = 77};
    ++memory.memoryTypeCount;
}

void make_true_all_ones(VkBool32* first, std::size_t count) {
    for (std::size_t i = 0; i < count; ++i) {
        if (first[i] == VK_TRUE) first[i] = ~0u;
    }
}

void fill(later::LayeredApiPropertiesList& list) {
    constexpr std::uint32_t kCount = 2;
    if (list.pLayeredApis != nullptr) {
        list.layeredApiCount = list.layeredApiCount < kCount ? list.layeredApiCount : kCount;
        for (std::uint32_t i = 0; i < list.layeredApiCount; ++i) {
            later::LayeredApiProperties& entry = list.pLayeredApis[i];
            entry.vendorID = 0x10de + i;
            entry.deviceID = 0x2330;
            entry.layeredAPI = i == 0 ? 1 : 77;
            std::strcpy(entry.deviceName, i == 0 ? "Lower" : "Lowest");
        }
        return;
    }
    list.layeredApiCount = kCount;
}

// --- intercepted functions ----------------------------------------------------------------------------------------

VKAPI_ATTR void VKAPI_CALL get_properties(VkPhysicalDevice device, VkPhysicalDeviceProperties* properties) {
    below_.get_properties(device, properties);
    spoil(*properties);
}

VKAPI_ATTR void VKAPI_CALL get_properties2(VkPhysicalDevice device, VkPhysicalDeviceProperties2* properties) {
    below_.get_properties2(device, properties);
    spoil(properties->properties);
    if (mode() != "layered") return;
    for (auto* entry = static_cast<VkBaseOutStructure*>(properties->pNext); entry != nullptr; entry = entry->pNext) {
        if (entry->sType == later::kLayeredApiPropertiesList) {
            fill(*reinterpret_cast<later::LayeredApiPropertiesList*>(entry));
        }
    }
}

VKAPI_ATTR void VKAPI_CALL get_features(VkPhysicalDevice device, VkPhysicalDeviceFeatures* features) {
    below_.get_features(device, features);
    if (mode() == "true-is-all-ones") {
        make_true_all_ones(reinterpret_cast<VkBool32*>(features), sizeof(*features) / sizeof(VkBool32));
    }
}

VKAPI_ATTR void VKAPI_CALL get_memory(VkPhysicalDevice device, VkPhysicalDeviceMemoryProperties* memory) {
    below_.get_memory(device, memory);
    spoil(*memory);
}

VKAPI_ATTR void VKAPI_CALL get_memory2(VkPhysicalDevice device, VkPhysicalDeviceMemoryProperties2* memory) {
    below_.get_memory2(device, memory);
    spoil(memory->memoryProperties);
}

VKAPI_ATTR VkResult VKAPI_CALL get_image_format2(VkPhysicalDevice device, const VkPhysicalDeviceImageFormatInfo2* info,
                                                 VkImageFormatProperties2* answer) {
    const VkResult result = below_.get_image_format2(device, info, answer);
    if (mode() != "layered") return result;
    VkImageCompressionFlagsEXT wanted = 0;
    for (auto* entry = static_cast<const VkBaseInStructure*>(info->pNext); entry != nullptr; entry = entry->pNext) {
        if (entry->sType == VK_STRUCTURE_TYPE_IMAGE_COMPRESSION_CONTROL_EXT) {
            wanted = reinterpret_cast<const VkImageCompressionControlEXT*>(entry)->flags;
        }
    }
    for (auto* entry = static_cast<VkBaseOutStructure*>(answer->pNext); entry != nullptr; entry = entry->pNext) {
        if (entry->sType != VK_STRUCTURE_TYPE_IMAGE_COMPRESSION_PROPERTIES_EXT) continue;
        auto& compression = *reinterpret_cast<VkImageCompressionPropertiesEXT*>(entry);
        const bool fixed = wanted == VK_IMAGE_COMPRESSION_FIXED_RATE_DEFAULT_EXT;
        compression.imageCompressionFlags = fixed ? wanted : 0;
        compression.imageCompressionFixedRateFlags =
            fixed && info->format == VK_FORMAT_R8G8B8A8_UNORM ? VK_IMAGE_COMPRESSION_FIXED_RATE_2BPC_BIT_EXT : 0;
    }
    return result;
}

VKAPI_ATTR VkResult VKAPI_CALL enumerate_extensions(VkPhysicalDevice device, const char* layer, std::uint32_t* count,
                                                    VkExtensionProperties* properties) {
    if (layer != nullptr || (mode() != "version-1.0" && mode() != "layered")) {
        return below_.enumerate_extensions(device, layer, count, properties);
    }
    std::vector<VkExtensionProperties> all;
    if (mode() == "layered") {
        std::uint32_t listed = 0;
        below_.enumerate_extensions(device, nullptr, &listed, nullptr);
        all.resize(listed);
        below_.enumerate_extensions(device, nullptr, &listed, all.data());
        for (const char* name : {"VK_KHR_maintenance7", "VK_EXT_image_compression_control"}) {
            VkExtensionProperties entry{};
            std::strcpy(entry.extensionName, name);
            entry.specVersion = 1;
            all.push_back(entry);
        }
    }
    if (properties == nullptr) {
        *count = static_cast<std::uint32_t>(all.size());
        return VK_SUCCESS;
    }
    const std::uint32_t room = *count;
    *count = room < all.size() ? room : static_cast<std::uint32_t>(all.size());
    for (std::uint32_t i = 0; i < *count; ++i) properties[i] = all[i];
    return room < all.size() ? VK_INCOMPLETE : VK_SUCCESS;
}

VKAPI_ATTR void VKAPI_CALL image_requirements(VkDevice device, const VkDeviceImageMemoryRequirements* info,
                                              VkMemoryRequirements2* answer) {
    below_.image_requirements(device, info, answer);
    const VkExtent3D& extent = info->pCreateInfo->extent;
    if (extent.width == kOddSide && extent.height == kOddSide && extent.depth == 1) spoil(answer->memoryRequirements);
}

VKAPI_ATTR void VKAPI_CALL buffer_requirements(VkDevice device, const VkDeviceBufferMemoryRequirements* info,
                                               VkMemoryRequirements2* answer) {
    below_.buffer_requirements(device, info, answer);
    if (info->pCreateInfo->size == kOddBytes) spoil(answer->memoryRequirements);
}

template <class Info>
Info* chain_link(const void* chain, VkStructureType type) {
    for (auto* entry = static_cast<const VkBaseInStructure*>(chain); entry != nullptr; entry = entry->pNext) {
        auto* info = reinterpret_cast<const Info*>(entry);
        if (entry->sType == type && info->function == VK_LAYER_LINK_INFO) return const_cast<Info*>(info);
    }
    return nullptr;
}

VKAPI_ATTR VkResult VKAPI_CALL create_instance(const VkInstanceCreateInfo* info, const VkAllocationCallbacks* callbacks,
                                               VkInstance* instance) {
    auto* link = chain_link<VkLayerInstanceCreateInfo>(info->pNext, VK_STRUCTURE_TYPE_LOADER_INSTANCE_CREATE_INFO);
    if (link == nullptr) return VK_ERROR_INITIALIZATION_FAILED;
    next_instance_ = link->u.pLayerInfo->pfnNextGetInstanceProcAddr;
    link->u.pLayerInfo = link->u.pLayerInfo->pNext;
    const auto create = reinterpret_cast<PFN_vkCreateInstance>(next_instance_(VK_NULL_HANDLE, "vkCreateInstance"));
    const VkResult result = create(info, callbacks, instance);
    if (result == VK_SUCCESS) {
        instance_ = *instance;
        take_instance_functions();
    }
    return result;
}

VKAPI_ATTR VkResult VKAPI_CALL create_device(VkPhysicalDevice physical, const VkDeviceCreateInfo* info,
                                             const VkAllocationCallbacks* callbacks, VkDevice* device) {
    auto* link = chain_link<VkLayerDeviceCreateInfo>(info->pNext, VK_STRUCTURE_TYPE_LOADER_DEVICE_CREATE_INFO);
    if (link == nullptr) return VK_ERROR_INITIALIZATION_FAILED;
    const PFN_vkGetInstanceProcAddr next_instance = link->u.pLayerInfo->pfnNextGetInstanceProcAddr;
    const PFN_vkGetDeviceProcAddr next_device = link->u.pLayerInfo->pfnNextGetDeviceProcAddr;
    link->u.pLayerInfo = link->u.pLayerInfo->pNext;
    const auto create = reinterpret_cast<PFN_vkCreateDevice>(next_instance(instance_, "vkCreateDevice"));
    const VkResult result = create(physical, info, callbacks, device);
    if (result == VK_SUCCESS) {
        next_device_ = next_device;
        below_.image_requirements = reinterpret_cast<PFN_vkGetDeviceImageMemoryRequirements>(
            next_device(*device, "vkGetDeviceImageMemoryRequirements"));
        below_.buffer_requirements = reinterpret_cast<PFN_vkGetDeviceBufferMemoryRequirements>(
            next_device(*device, "vkGetDeviceBufferMemoryRequirements"));
    }
    return result;
}

// --- the loader's interface ---------------------------------------------------------------------------------------

struct Entry {
    const char* name;
    PFN_vkVoidFunction function;
};

template <class Function>
PFN_vkVoidFunction any(Function* function) {
    return reinterpret_cast<PFN_vkVoidFunction>(function);
}

PFN_vkVoidFunction find_device_function(std::string_view name) {
    const Entry entries[] = {{"vkGetDeviceImageMemoryRequirements", any(image_requirements)},
                             {"vkGetDeviceBufferMemoryRequirements", any(buffer_requirements)}};
    for (const Entry& entry : entries) {
        if (name == entry.name) return entry.function;
    }
    return nullptr;
}

PFN_vkVoidFunction find_instance_function(std::string_view name) {
    const Entry entries[] = {{"vkCreateInstance", any(create_instance)},
                             {"vkCreateDevice", any(create_device)},
                             {"vkGetPhysicalDeviceProperties", any(get_properties)},
                             {"vkGetPhysicalDeviceProperties2", any(get_properties2)},
                             {"vkGetPhysicalDeviceFeatures", any(get_features)},
                             {"vkGetPhysicalDeviceMemoryProperties", any(get_memory)},
                             {"vkGetPhysicalDeviceMemoryProperties2", any(get_memory2)},
                             {"vkGetPhysicalDeviceImageFormatProperties2", any(get_image_format2)},
                             {"vkEnumerateDeviceExtensionProperties", any(enumerate_extensions)}};
    for (const Entry& entry : entries) {
        if (name == entry.name) return entry.function;
    }
    // The extension that had these functions first gives them the same name with a suffix.
    constexpr std::string_view kSuffix = "2KHR";
    if (name.ends_with(kSuffix)) return find_instance_function(name.substr(0, name.size() - 3));
    return nullptr;
}

}  // namespace

extern "C" {

VKAPI_ATTR PFN_vkVoidFunction VKAPI_CALL odd_vkGetDeviceProcAddr(VkDevice device, const char* name) {
    if (std::strcmp(name, "vkGetDeviceProcAddr") == 0) return any(odd_vkGetDeviceProcAddr);
    const PFN_vkVoidFunction own = find_device_function(name);
    return own != nullptr ? own : next_device_(device, name);
}

VKAPI_ATTR PFN_vkVoidFunction VKAPI_CALL odd_vkGetInstanceProcAddr(VkInstance instance, const char* name) {
    if (std::strcmp(name, "vkGetInstanceProcAddr") == 0) return any(odd_vkGetInstanceProcAddr);
    if (std::strcmp(name, "vkGetDeviceProcAddr") == 0) return any(odd_vkGetDeviceProcAddr);
    const PFN_vkVoidFunction own = find_instance_function(name);
    if (own != nullptr) return own;
    return next_instance_ == nullptr ? nullptr : next_instance_(instance, name);
}

VKAPI_ATTR VkResult VKAPI_CALL vkNegotiateLoaderLayerInterfaceVersion(VkNegotiateLayerInterface* version) {
    if (version->loaderLayerInterfaceVersion < 2) return VK_ERROR_INITIALIZATION_FAILED;
    version->loaderLayerInterfaceVersion = 2;
    version->pfnGetInstanceProcAddr = odd_vkGetInstanceProcAddr;
    version->pfnGetDeviceProcAddr = odd_vkGetDeviceProcAddr;
    version->pfnGetPhysicalDeviceProcAddr = nullptr;
    return VK_SUCCESS;
}

}  // extern "C"
