// One VkInstance with what the rest needs of it: its functions, its physical devices, the messages of its validation
// layer. Owns the instance and its messenger; move-only; devices made from it end before it does.
// Reading is thread-safe; creation sets environment variables (select_drivers) and is not.
// Beside it: the log of its messages.
#pragma once

#include <cstdint>
#include <filesystem>
#include <memory>
#include <mutex>
#include <string>
#include <utility>
#include <vector>

#include "heapwright/core/result.hpp"
#include "heapwright_generated/volk.hpp"
#include "vulkan/capability_source.hpp"
#include "vulkan/driver_calls.hpp"

namespace heapwright::vulkan {

// Functions that are called with a VkInstance or a VkPhysicalDevice. The "2" functions are the core ones or those of
// VK_KHR_get_physical_device_properties2; null when the instance has neither. Device functions come from
// volkLoadDeviceTable().
struct InstanceFunctions {
    DriverCall<PFN_vkDestroyInstance> destroy_instance{"vkDestroyInstance"};
    DriverCall<PFN_vkEnumeratePhysicalDevices> enumerate_physical_devices{"vkEnumeratePhysicalDevices"};
    DriverCall<PFN_vkGetPhysicalDeviceProperties> get_properties{"vkGetPhysicalDeviceProperties"};
    DriverCall<PFN_vkGetPhysicalDeviceFeatures> get_features{"vkGetPhysicalDeviceFeatures"};
    DriverCall<PFN_vkGetPhysicalDeviceMemoryProperties> get_memory_properties{"vkGetPhysicalDeviceMemoryProperties"};
    DriverCall<PFN_vkGetPhysicalDeviceQueueFamilyProperties> get_queue_family_properties{
        "vkGetPhysicalDeviceQueueFamilyProperties"};
    DriverCall<PFN_vkGetPhysicalDeviceFormatProperties> get_format_properties{"vkGetPhysicalDeviceFormatProperties"};
    DriverCall<PFN_vkGetPhysicalDeviceImageFormatProperties> get_image_format_properties{
        "vkGetPhysicalDeviceImageFormatProperties"};
    DriverCall<PFN_vkGetPhysicalDeviceSparseImageFormatProperties> get_sparse_image_format_properties{
        "vkGetPhysicalDeviceSparseImageFormatProperties"};
    DriverCall<PFN_vkEnumerateDeviceExtensionProperties> enumerate_device_extensions{
        "vkEnumerateDeviceExtensionProperties"};
    DriverCall<PFN_vkCreateDevice> create_device{"vkCreateDevice"};
    DriverCall<PFN_vkGetDeviceProcAddr> get_device_proc_addr{"vkGetDeviceProcAddr"};
    DriverCall<PFN_vkGetPhysicalDeviceProperties2> get_properties2{"vkGetPhysicalDeviceProperties2"};
    DriverCall<PFN_vkGetPhysicalDeviceFeatures2> get_features2{"vkGetPhysicalDeviceFeatures2"};
    DriverCall<PFN_vkGetPhysicalDeviceMemoryProperties2> get_memory_properties2{"vkGetPhysicalDeviceMemoryProperties2"};
    DriverCall<PFN_vkGetPhysicalDeviceImageFormatProperties2> get_image_format_properties2{
        "vkGetPhysicalDeviceImageFormatProperties2"};
    DriverCall<PFN_vkGetPhysicalDeviceCalibrateableTimeDomainsEXT> get_calibrateable_time_domains{
        "vkGetPhysicalDeviceCalibrateableTimeDomainsEXT"};
    DriverCall<PFN_vkCreateDebugUtilsMessengerEXT> create_debug_utils_messenger{"vkCreateDebugUtilsMessengerEXT"};
    DriverCall<PFN_vkDestroyDebugUtilsMessengerEXT> destroy_debug_utils_messenger{"vkDestroyDebugUtilsMessengerEXT"};
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

// Collects what the validation layer says, from whichever thread the driver is called on.

class MessageLog {
public:
    // A messenger that feeds this log with the layer's warnings and errors. The loader's own remarks (message type
    // GENERAL: manifests that it skipped) and performance hints are not faults and stay out. The log outlives it.
    [[nodiscard]] VkDebugUtilsMessengerCreateInfoEXT messenger_info();

    void add(std::string message);
    [[nodiscard]] std::vector<std::string> take();

private:
    std::mutex mutex_;
    std::vector<std::string> messages_;
};

}  // namespace heapwright::vulkan
