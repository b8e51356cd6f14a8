#include "vulkan/instance.hpp"

#include <algorithm>
#include <cstring>
#include <mutex>
#include <optional>
#include <string_view>

#include "core/breadcrumb.hpp"
#include "vulkan/call.hpp"
#include "vulkan/loader.hpp"

namespace heapwright::vulkan {

namespace {

constexpr const char* kValidationLayer = "VK_LAYER_KHRONOS_validation";

std::uint32_t instance_version(std::uint32_t newest_minor) {
    // A loader of Vulkan 1.0 has no vkEnumerateInstanceVersion and refuses every other version.
    std::uint32_t version = VK_API_VERSION_1_0;
    if (vkEnumerateInstanceVersion == nullptr || vkEnumerateInstanceVersion(&version) != VK_SUCCESS ||
        version < VK_API_VERSION_1_1) {
        return VK_API_VERSION_1_0;
    }
    return std::min(VK_API_VERSION_1_3, VK_MAKE_API_VERSION(0, 1, newest_minor, 0));
}

std::vector<VkExtensionProperties> instance_extensions() {
    std::uint32_t count = 0;
    if (vkEnumerateInstanceExtensionProperties(nullptr, &count, nullptr) != VK_SUCCESS) return {};
    std::vector<VkExtensionProperties> extensions(count);
    if (vkEnumerateInstanceExtensionProperties(nullptr, &count, extensions.data()) < 0) return {};
    extensions.resize(count);
    return extensions;
}

bool has_extension(const std::vector<VkExtensionProperties>& extensions, std::string_view name) {
    return std::any_of(extensions.begin(), extensions.end(),
                       [name](const VkExtensionProperties& entry) { return name == entry.extensionName; });
}

// Empty: it is not installed.
std::optional<std::uint32_t> validation_layer_version() {
    std::uint32_t count = 0;
    if (vkEnumerateInstanceLayerProperties(&count, nullptr) != VK_SUCCESS) return std::nullopt;
    std::vector<VkLayerProperties> layers(count);
    if (vkEnumerateInstanceLayerProperties(&count, layers.data()) < 0) return std::nullopt;
    layers.resize(count);
    const auto layer = std::find_if(layers.begin(), layers.end(), [](const VkLayerProperties& entry) {
        return std::strcmp(entry.layerName, kValidationLayer) == 0;
    });
    if (layer == layers.end()) return std::nullopt;
    return layer->specVersion;
}

// Older ones lose timeline semaphores of several queues whose waits come before their signals or have other values,
// hang for 10 seconds and report UNASSIGNED-VkSemaphore-state-timeout, "most likely a validation bug"
// (KhronosGroup/Vulkan-ValidationLayers, pull request 8519).
constexpr std::uint32_t kFirstThatFollowsEarlyWaits = VK_MAKE_API_VERSION(0, 1, 3, 296);

// A loader gives the functions of every version that it knows, whichever the instance was created for.
InstanceFunctions load_functions(PFN_vkGetInstanceProcAddr get_proc_addr, VkInstance instance, bool has_version_1_1,
                                 bool has_properties2) {
    InstanceFunctions functions;
    const auto load = [get_proc_addr, instance](auto& function, const char* core, const char* khr = nullptr) {
        using Function = typename std::remove_reference_t<decltype(function)>::Function;
        function = reinterpret_cast<Function>(get_proc_addr(instance, core));
        if (function == nullptr && khr != nullptr) {
            function = reinterpret_cast<Function>(get_proc_addr(instance, khr));
        }
    };
    load(functions.destroy_instance, "vkDestroyInstance");
    load(functions.enumerate_physical_devices, "vkEnumeratePhysicalDevices");
    load(functions.get_properties, "vkGetPhysicalDeviceProperties");
    load(functions.get_features, "vkGetPhysicalDeviceFeatures");
    load(functions.get_memory_properties, "vkGetPhysicalDeviceMemoryProperties");
    load(functions.get_queue_family_properties, "vkGetPhysicalDeviceQueueFamilyProperties");
    load(functions.get_format_properties, "vkGetPhysicalDeviceFormatProperties");
    load(functions.get_image_format_properties, "vkGetPhysicalDeviceImageFormatProperties");
    load(functions.enumerate_device_extensions, "vkEnumerateDeviceExtensionProperties");
    load(functions.create_device, "vkCreateDevice");
    load(functions.get_device_proc_addr, "vkGetDeviceProcAddr");
    load(functions.get_sparse_image_format_properties, "vkGetPhysicalDeviceSparseImageFormatProperties");
    const auto load2 = [&](auto& function, const char* core, const char* khr) {
        if (has_version_1_1) {
            load(function, core, khr);
        } else if (has_properties2) {
            load(function, khr);
        }
    };
    load2(functions.get_properties2, "vkGetPhysicalDeviceProperties2", "vkGetPhysicalDeviceProperties2KHR");
    load2(functions.get_features2, "vkGetPhysicalDeviceFeatures2", "vkGetPhysicalDeviceFeatures2KHR");
    load2(functions.get_memory_properties2, "vkGetPhysicalDeviceMemoryProperties2",
          "vkGetPhysicalDeviceMemoryProperties2KHR");
    load2(functions.get_image_format_properties2, "vkGetPhysicalDeviceImageFormatProperties2",
          "vkGetPhysicalDeviceImageFormatProperties2KHR");
    load(functions.get_calibrateable_time_domains, "vkGetPhysicalDeviceCalibrateableTimeDomainsEXT",
         "vkGetPhysicalDeviceCalibrateableTimeDomainsKHR");
    load(functions.create_debug_utils_messenger, "vkCreateDebugUtilsMessengerEXT");
    load(functions.destroy_debug_utils_messenger, "vkDestroyDebugUtilsMessengerEXT");
    return functions;
}

// volkLoadDeviceTable() goes through volk's global vkGetDeviceProcAddr, which any instance may provide.
void load_volk_globals(VkInstance instance) {
    static std::once_flag once;
    std::call_once(once, [instance] { volkLoadInstanceOnly(instance); });
}

}  // namespace

Result<Instance> Instance::create(const InstanceOptions& options) {
    HEAPWRIGHT_TRY(load_loader());
    HEAPWRIGHT_TRY(select_drivers(options.icd_files));

    Instance result;
    result.api_version_ = instance_version(options.newest_minor);
    leave_breadcrumb("vkEnumerateInstanceExtensionProperties");
    const std::vector<VkExtensionProperties> available =
        options.instance_extensions ? instance_extensions() : std::vector<VkExtensionProperties>{};
    std::vector<const char*> extensions;
    std::vector<const char*> layers;
    VkInstanceCreateFlags flags = 0;
    const bool has_version_1_1 = result.api_version_ >= VK_API_VERSION_1_1;
    const bool has_properties2 = has_extension(available, VK_KHR_GET_PHYSICAL_DEVICE_PROPERTIES_2_EXTENSION_NAME);
    if (!has_version_1_1 && has_properties2) {
        extensions.push_back(VK_KHR_GET_PHYSICAL_DEVICE_PROPERTIES_2_EXTENSION_NAME);
    }
    if (has_extension(available, VK_KHR_PORTABILITY_ENUMERATION_EXTENSION_NAME)) {
        // Drivers that are not fully conformant (portability subset) are listed only when asked for.
        extensions.push_back(VK_KHR_PORTABILITY_ENUMERATION_EXTENSION_NAME);
        flags |= VK_INSTANCE_CREATE_ENUMERATE_PORTABILITY_BIT_KHR;
    }

    VkDebugUtilsMessengerCreateInfoEXT messenger_info{};
    VkValidationFeaturesEXT validation_features{};
    constexpr VkValidationFeatureEnableEXT kSynchronization =
        VK_VALIDATION_FEATURE_ENABLE_SYNCHRONIZATION_VALIDATION_EXT;
    const void* chain = nullptr;
    if (options.validation_layers) {
        const std::optional<std::uint32_t> version = validation_layer_version();
        if (!version) {
            return fail(ErrorCode::kNotSupported, std::string("the validation layer ") + kValidationLayer +
                                                      " is not installed (Debian: vulkan-validationlayers)");
        }
        result.follows_early_waits_ = *version >= kFirstThatFollowsEarlyWaits;
        layers.push_back(kValidationLayer);
        extensions.push_back(VK_EXT_DEBUG_UTILS_EXTENSION_NAME);
        result.messages_ = std::make_unique<MessageLog>();
        messenger_info = result.messages_->messenger_info();
        chain = &messenger_info;
        if (options.synchronization_validation) {
            validation_features = {.sType = VK_STRUCTURE_TYPE_VALIDATION_FEATURES_EXT,
                                   .pNext = chain,
                                   .enabledValidationFeatureCount = 1,
                                   .pEnabledValidationFeatures = &kSynchronization,
                                   .disabledValidationFeatureCount = 0,
                                   .pDisabledValidationFeatures = nullptr};
            extensions.push_back(VK_EXT_VALIDATION_FEATURES_EXTENSION_NAME);
            chain = &validation_features;
        }
    }

    const VkApplicationInfo application{.sType = VK_STRUCTURE_TYPE_APPLICATION_INFO,
                                        .pNext = nullptr,
                                        .pApplicationName = "heapwright",
                                        .applicationVersion = 0,
                                        .pEngineName = nullptr,
                                        .engineVersion = 0,
                                        .apiVersion = result.api_version_};
    const VkInstanceCreateInfo info{.sType = VK_STRUCTURE_TYPE_INSTANCE_CREATE_INFO,
                                    .pNext = chain,
                                    .flags = flags,
                                    .pApplicationInfo = &application,
                                    .enabledLayerCount = static_cast<std::uint32_t>(layers.size()),
                                    .ppEnabledLayerNames = layers.data(),
                                    .enabledExtensionCount = static_cast<std::uint32_t>(extensions.size()),
                                    .ppEnabledExtensionNames = extensions.data()};
    leave_breadcrumb("vkCreateInstance");
    const VkResult created = vkCreateInstance(&info, nullptr, &result.instance_);
    if (created != VK_SUCCESS) {
        result.instance_ = VK_NULL_HANDLE;
        if (created != VK_ERROR_INCOMPATIBLE_DRIVER) return fail(call_error(created, "vkCreateInstance", ""));
        const std::string dropped = dropped_drivers(options.icd_files);
        leave_breadcrumb("vkCreateInstance");
        return fail(call_error(created, "vkCreateInstance",
                               dropped.empty() ? "the loader found no driver that works"
                                               : "the loader found no driver that works: " + dropped));
    }
    load_volk_globals(result.instance_);
    result.functions_ = load_functions(vkGetInstanceProcAddr, result.instance_, has_version_1_1, has_properties2);
    if (result.messages_ != nullptr) {
        leave_breadcrumb("vkCreateDebugUtilsMessengerEXT");
        HEAPWRIGHT_TRY(check(result.functions_.create_debug_utils_messenger(result.instance_, &messenger_info, nullptr,
                                                                            &result.messenger_),
                             "vkCreateDebugUtilsMessengerEXT"));
    }
    return result;
}

Result<Instance> Instance::adopt(VkInstance instance, PFN_vkGetInstanceProcAddr get_proc_addr,
                                 std::uint32_t api_version) {
    if (instance == VK_NULL_HANDLE || get_proc_addr == nullptr) {
        return fail(ErrorCode::kInvalidArgument, "an instance and its vkGetInstanceProcAddr are needed");
    }
    if (api_version < VK_API_VERSION_1_1) {
        return fail({.code = ErrorCode::kNotSupported,
                     .message = "the instance was created for a version below Vulkan 1.1",
                     .where = "VkApplicationInfo::apiVersion",
                     .value = api_version,
                     .limit = VK_API_VERSION_1_1});
    }
    Instance result;
    result.instance_ = instance;
    result.adopted_ = true;
    result.api_version_ = std::min(api_version, VK_API_VERSION_1_3);
    result.functions_ = load_functions(get_proc_addr, instance, true, true);
    const InstanceFunctions& functions = result.functions_;
    if (functions.get_properties2 == nullptr || functions.get_features2 == nullptr ||
        functions.get_memory_properties2 == nullptr || functions.get_memory_properties == nullptr ||
        functions.enumerate_device_extensions == nullptr) {
        return fail(ErrorCode::kInvalidArgument, "it gives no functions of Vulkan 1.1", "vkGetInstanceProcAddr");
    }
    return result;
}

Instance::Instance(Instance&& other) noexcept
    : instance_(std::exchange(other.instance_, VK_NULL_HANDLE)),
      adopted_(other.adopted_),
      messenger_(std::exchange(other.messenger_, VK_NULL_HANDLE)),
      functions_(other.functions_),
      api_version_(other.api_version_),
      messages_(std::move(other.messages_)),
      follows_early_waits_(other.follows_early_waits_) {}

Instance& Instance::operator=(Instance&& other) noexcept {
    if (this != &other) {
        destroy();
        instance_ = std::exchange(other.instance_, VK_NULL_HANDLE);
        adopted_ = other.adopted_;
        messenger_ = std::exchange(other.messenger_, VK_NULL_HANDLE);
        functions_ = other.functions_;
        api_version_ = other.api_version_;
        messages_ = std::move(other.messages_);
        follows_early_waits_ = other.follows_early_waits_;
    }
    return *this;
}

Instance::~Instance() {
    destroy();
}

void Instance::destroy() noexcept {
    if (instance_ == VK_NULL_HANDLE) return;
    if (messenger_ != VK_NULL_HANDLE) functions_.destroy_debug_utils_messenger(instance_, messenger_, nullptr);
    if (!adopted_) functions_.destroy_instance(instance_, nullptr);
    messenger_ = VK_NULL_HANDLE;
    instance_ = VK_NULL_HANDLE;
}

Result<std::vector<VkPhysicalDevice>> Instance::physical_devices() const {
    leave_breadcrumb("vkEnumeratePhysicalDevices");
    // Devices may come between the two questions; not every time.
    constexpr int kTries = 8;
    for (int tries = 0; tries < kTries; ++tries) {
        std::uint32_t count = 0;
        const VkResult counted = functions_.enumerate_physical_devices(instance_, &count, nullptr);
        // The loader's way to say that every driver failed to give a device.
        if (counted == VK_ERROR_INITIALIZATION_FAILED) return std::vector<VkPhysicalDevice>{};
        HEAPWRIGHT_TRY(check(counted, "vkEnumeratePhysicalDevices"));
        std::vector<VkPhysicalDevice> devices(count);
        if (count == 0) return devices;
        const VkResult listed = functions_.enumerate_physical_devices(instance_, &count, devices.data());
        HEAPWRIGHT_TRY(check(listed, "vkEnumeratePhysicalDevices"));
        devices.resize(count);
        if (listed == VK_SUCCESS) return devices;
    }
    return fail(call_error(VK_INCOMPLETE, "vkEnumeratePhysicalDevices", "the list of devices is never complete"));
}

std::vector<std::string> Instance::take_messages() const {
    return messages_ == nullptr ? std::vector<std::string>{} : messages_->take();
}

namespace {

VKAPI_ATTR VkBool32 VKAPI_CALL receive(VkDebugUtilsMessageSeverityFlagBitsEXT, VkDebugUtilsMessageTypeFlagsEXT,
                                       const VkDebugUtilsMessengerCallbackDataEXT* data, void* user) {
    static_cast<MessageLog*>(user)->add(data->pMessage == nullptr ? "(no text)" : data->pMessage);
    return VK_FALSE;
}

}  // namespace

VkDebugUtilsMessengerCreateInfoEXT MessageLog::messenger_info() {
    return {.sType = VK_STRUCTURE_TYPE_DEBUG_UTILS_MESSENGER_CREATE_INFO_EXT,
            .pNext = nullptr,
            .flags = 0,
            .messageSeverity =
                VK_DEBUG_UTILS_MESSAGE_SEVERITY_WARNING_BIT_EXT | VK_DEBUG_UTILS_MESSAGE_SEVERITY_ERROR_BIT_EXT,
            .messageType = VK_DEBUG_UTILS_MESSAGE_TYPE_VALIDATION_BIT_EXT,
            .pfnUserCallback = receive,
            .pUserData = this};
}

void MessageLog::add(std::string message) {
    const std::scoped_lock lock(mutex_);
    messages_.push_back(std::move(message));
}

std::vector<std::string> MessageLog::take() {
    const std::scoped_lock lock(mutex_);
    return std::exchange(messages_, {});
}

}  // namespace heapwright::vulkan
