// One VkInstance with what the rest needs of it: its functions, its physical devices, the messages of its validation
// layer. Owns the instance and its messenger; move-only; devices made from it end before it does.
// Reading is thread-safe; creation sets environment variables (select_drivers) and is not.
#pragma once

#include <cstdint>
#include <filesystem>
#include <memory>
#include <string>
#include <vector>

#include "heapwright_generated/volk.hpp"

#include "heapwright/core/result.hpp"
#include "heapwright/vulkan/instance_options.hpp"

namespace heapwright::vulkan {

// Functions that are called with a VkInstance or a VkPhysicalDevice. The "2" functions are the core ones or those of
// VK_KHR_get_physical_device_properties2; null when the instance has neither. Device functions come from
// volkLoadDeviceTable().
struct InstanceFunctions {
    PFN_vkDestroyInstance destroy_instance = nullptr;
    PFN_vkEnumeratePhysicalDevices enumerate_physical_devices = nullptr;
    PFN_vkGetPhysicalDeviceProperties get_properties = nullptr;
    PFN_vkGetPhysicalDeviceFeatures get_features = nullptr;
    PFN_vkGetPhysicalDeviceMemoryProperties get_memory_properties = nullptr;
    PFN_vkGetPhysicalDeviceQueueFamilyProperties get_queue_family_properties = nullptr;
    PFN_vkGetPhysicalDeviceFormatProperties get_format_properties = nullptr;
    PFN_vkGetPhysicalDeviceImageFormatProperties get_image_format_properties = nullptr;
    PFN_vkGetPhysicalDeviceSparseImageFormatProperties get_sparse_image_format_properties = nullptr;
    PFN_vkEnumerateDeviceExtensionProperties enumerate_device_extensions = nullptr;
    PFN_vkCreateDevice create_device = nullptr;
    PFN_vkGetDeviceProcAddr get_device_proc_addr = nullptr;
    PFN_vkGetPhysicalDeviceProperties2 get_properties2 = nullptr;
    PFN_vkGetPhysicalDeviceFeatures2 get_features2 = nullptr;
    PFN_vkGetPhysicalDeviceMemoryProperties2 get_memory_properties2 = nullptr;
    PFN_vkGetPhysicalDeviceImageFormatProperties2 get_image_format_properties2 = nullptr;
    PFN_vkCreateDebugUtilsMessengerEXT create_debug_utils_messenger = nullptr;
    PFN_vkDestroyDebugUtilsMessengerEXT destroy_debug_utils_messenger = nullptr;
};

class MessageLog;

class Instance {
public:
    // Loads the loader and selects the drivers first. Errors: kNoLoader, kNoDevice (no driver would load),
    // kNotSupported (the validation layer is not installed), kIoError (an ICD file), kDriverFailure.
    [[nodiscard]] static Result<Instance> create(const InstanceOptions& options);

    // One that the caller made and keeps: its functions through the caller's own vkGetInstanceProcAddr; nothing is
    // created here or destroyed, and no message is logged. `api_version` is VkApplicationInfo's; versions above 1.3
    // count as 1.3. The instance outlives this. Errors: kInvalidArgument (a null handle or function), kNotSupported
    // (below Vulkan 1.1).
    [[nodiscard]] static Result<Instance> adopt(VkInstance instance, PFN_vkGetInstanceProcAddr get_proc_addr,
                                                std::uint32_t api_version);

    Instance(Instance&& other) noexcept;
    Instance& operator=(Instance&& other) noexcept;
    Instance(const Instance&) = delete;
    Instance& operator=(const Instance&) = delete;
    ~Instance();

    [[nodiscard]] VkInstance handle() const { return instance_; }
    [[nodiscard]] const InstanceFunctions& functions() const { return functions_; }

    // The version that the instance was created for (VK_MAKE_API_VERSION). A device's usable version is the smaller of
    // this and its own.
    [[nodiscard]] std::uint32_t api_version() const { return api_version_; }
    [[nodiscard]] bool validates() const { return messages_ != nullptr; }
    // Whether a wait on one queue may be submitted before its signal on another as far as the validation layer goes.
    [[nodiscard]] bool follows_early_waits() const { return follows_early_waits_; }

    // In the loader's order; empty when there is no device. Errors: kDriverFailure, kOutOfHostMemory.
    [[nodiscard]] Result<std::vector<VkPhysicalDevice>> physical_devices() const;

    // The validation layer's warnings and errors since the last call; thread-safe; empty when it is off.
    [[nodiscard]] std::vector<std::string> take_messages() const;

private:
    Instance() = default;
    void destroy() noexcept;

    VkInstance instance_ = VK_NULL_HANDLE;
    bool adopted_ = false;  // the caller's
    VkDebugUtilsMessengerEXT messenger_ = VK_NULL_HANDLE;
    InstanceFunctions functions_;
    std::uint32_t api_version_ = VK_API_VERSION_1_0;
    std::unique_ptr<MessageLog> messages_;
    bool follows_early_waits_ = true;
};

}  // namespace heapwright::vulkan
