// The Vulkan device beneath vkd3d. vkd3d tells which one it is (vkd3d_get_vk_physical_device), and Vulkan the rest.
#include <dlfcn.h>

#include <algorithm>
#include <climits>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <system_error>

#include <fmt/format.h>

#include "heapwright/core/breadcrumb.hpp"
#include "heapwright/core/file.hpp"
#include "heapwright/d3d12/adapter.hpp"
#include "heapwright/d3d12/call.hpp"

#define VK_NO_PROTOTYPES
#include <vulkan/vulkan_core.h>

namespace heapwright::d3d12 {
namespace {

constexpr const char* kRuntimeNames[] = {"libvkd3d-utils.so.1", "libvkd3d-utils.so"};
constexpr std::uint64_t kMaxManifestBytes = 1 << 20;

struct Runtime {
    CreateDeviceFunction create_device = nullptr;
    std::string library;  // "libvkd3d-utils.so.1.1.0"
};

std::string real_library_name(void* symbol, const char* fallback) {
    Dl_info info{};
    if (dladdr(symbol, &info) == 0 || info.dli_fname == nullptr) return fallback;
    std::error_code error;
    const std::filesystem::path path = std::filesystem::canonical(info.dli_fname, error);
    return error ? std::string(fallback) : path.filename().string();
}

// The library stays loaded until the process ends.
Result<Runtime> load_runtime() {
    std::string tried;
    for (const char* name : kRuntimeNames) {
        leave_breadcrumb("dlopen", name);
        std::string reason = "it has no D3D12CreateDevice";
        if (void* library = dlopen(name, RTLD_NOW | RTLD_LOCAL); library == nullptr) {
            const char* text = dlerror();
            reason = text == nullptr ? "unknown reason" : text;
        } else if (void* symbol = dlsym(library, "D3D12CreateDevice"); symbol != nullptr) {
            return Runtime{.create_device = reinterpret_cast<CreateDeviceFunction>(symbol),
                           .library = real_library_name(symbol, name)};
        }
        tried += fmt::format("{}{} ({})", tried.empty() ? "" : ", ", name, reason);
    }
    return fail(ErrorCode::kNoLoader, "no Direct3D 12 runtime could be loaded; tried " + tried);
}

// vkd3d and the Vulkan loader read these when the device is created.
Status choose_vulkan_device(const SourceOptions& options) {
    std::string list;
    for (const std::filesystem::path& file : options.icd_files) {
        HEAPWRIGHT_TRY(read_file(file, kMaxManifestBytes));
        if (!list.empty()) list += ':';
        list += std::filesystem::absolute(file).string();
    }
    if (!list.empty()) {
        setenv("VK_DRIVER_FILES", list.c_str(), 1);
        setenv("VK_ICD_FILENAMES", list.c_str(), 1);
    }
    if (options.vulkan_device_index) {
        setenv("VKD3D_VULKAN_DEVICE", std::to_string(*options.vulkan_device_index).c_str(), 1);
    }
    setenv("VKD3D_DEBUG", "err", 0);
    return {};
}

// The Vulkan device that a vkd3d device works on, with what is asked of it.
class VulkanBeneath {
public:
    // Nothing where this vkd3d does not tell its device.
    static std::optional<VulkanBeneath> of(ID3D12Device* device) {
        using InstanceOf = struct vkd3d_instance* (*)(ID3D12Device*);
        using VulkanInstanceOf = VkInstance (*)(struct vkd3d_instance*);
        using PhysicalDeviceOf = VkPhysicalDevice (*)(ID3D12Device*);
        void* vkd3d = dlopen("libvkd3d.so.1", RTLD_NOW | RTLD_NOLOAD);
        void* vulkan = dlopen("libvulkan.so.1", RTLD_NOW | RTLD_NOLOAD);
        if (vkd3d == nullptr || vulkan == nullptr) return std::nullopt;
        const auto instance_of = reinterpret_cast<InstanceOf>(dlsym(vkd3d, "vkd3d_instance_from_device"));
        const auto vulkan_of = reinterpret_cast<VulkanInstanceOf>(dlsym(vkd3d, "vkd3d_instance_get_vk_instance"));
        const auto physical_of = reinterpret_cast<PhysicalDeviceOf>(dlsym(vkd3d, "vkd3d_get_vk_physical_device"));
        const auto get = reinterpret_cast<PFN_vkGetInstanceProcAddr>(dlsym(vulkan, "vkGetInstanceProcAddr"));
        if (instance_of == nullptr || vulkan_of == nullptr || physical_of == nullptr || get == nullptr) {
            return std::nullopt;
        }
        VulkanBeneath beneath;
        beneath.instance_ = vulkan_of(instance_of(device));
        beneath.device_ = physical_of(device);
        beneath.get_ = get;
        beneath.list_extensions();
        return beneath;
    }

    void describe(model::DeviceIdentity& identity) const {
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
        identity.name = properties.properties.deviceName;
        identity.type = type_of(properties.properties.deviceType);
        identity.vendor_id = properties.properties.vendorID;
        identity.device_id = properties.properties.deviceID;
        identity.driver_version = properties.properties.driverVersion;
        identity.driver_name = driver.driverName;
        identity.driver_info = driver.driverInfo;
        identity.device_uuid = hexadecimal(ids.deviceUUID);
        identity.driver_uuid = hexadecimal(ids.driverUUID);
    }

    [[nodiscard]] AdapterMemory memory() const {
        VkPhysicalDeviceMemoryBudgetPropertiesEXT budget{};
        budget.sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_MEMORY_BUDGET_PROPERTIES_EXT;
        VkPhysicalDeviceMemoryProperties2 memory{};
        memory.sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_MEMORY_PROPERTIES_2;
        const auto query =
            function<PFN_vkGetPhysicalDeviceMemoryProperties2>("vkGetPhysicalDeviceMemoryProperties2KHR");
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

private:
    template <class Function>
    [[nodiscard]] Function function(const char* name) const {
        return reinterpret_cast<Function>(get_(instance_, name));
    }

    static model::DeviceType type_of(VkPhysicalDeviceType type) {
        switch (type) {
            case VK_PHYSICAL_DEVICE_TYPE_INTEGRATED_GPU: return model::DeviceType::kIntegratedGpu;
            case VK_PHYSICAL_DEVICE_TYPE_DISCRETE_GPU: return model::DeviceType::kDiscreteGpu;
            case VK_PHYSICAL_DEVICE_TYPE_VIRTUAL_GPU: return model::DeviceType::kVirtualGpu;
            case VK_PHYSICAL_DEVICE_TYPE_CPU: return model::DeviceType::kCpu;
            default: return model::DeviceType::kOther;
        }
    }

    static std::string hexadecimal(const std::uint8_t (&bytes)[VK_UUID_SIZE]) {
        std::string text;
        for (const std::uint8_t byte : bytes) text += fmt::format("{:02x}", byte);
        return text;
    }

    void list_extensions() {
        const auto list = function<PFN_vkEnumerateDeviceExtensionProperties>("vkEnumerateDeviceExtensionProperties");
        if (list == nullptr) return;
        std::uint32_t count = 0;
        list(device_, nullptr, &count, nullptr);
        std::vector<VkExtensionProperties> listed(count);
        list(device_, nullptr, &count, listed.data());
        listed.resize(std::min<std::size_t>(count, listed.size()));
        for (const VkExtensionProperties& extension : listed) extensions_.emplace_back(extension.extensionName);
    }

    [[nodiscard]] bool has(std::string_view extension) const {
        return std::find(extensions_.begin(), extensions_.end(), extension) != extensions_.end();
    }

    VkInstance instance_ = VK_NULL_HANDLE;
    VkPhysicalDevice device_ = VK_NULL_HANDLE;
    PFN_vkGetInstanceProcAddr get_ = nullptr;
    std::vector<std::string> extensions_;
};

class Vkd3dAdapter final : public Adapter {
public:
    Vkd3dAdapter(Com<ID3D12Device> device, const Runtime& runtime, const SourceOptions& options)
        : device_(std::move(device)), beneath_(VulkanBeneath::of(device_.get())) {
        if (options.vulkan_device) identity_ = *options.vulkan_device;
        if (beneath_) beneath_->describe(identity_);
        identity_.api = model::Api::kD3d12;
        identity_.driver_id = "VKD3D";
        identity_.driver_name = identity_.driver_name.empty()
                                    ? runtime.library
                                    : fmt::format("{} over {}", runtime.library, identity_.driver_name);
        identity_.api_version.clear();
        identity_.conformance_version.clear();
        identity_.luid.clear();  // always 0 here, so it names no device
    }

    [[nodiscard]] model::DeviceIdentity identity() const override { return identity_; }

    [[nodiscard]] AdapterMemory memory() const override { return beneath_ ? beneath_->memory() : AdapterMemory{}; }

    [[nodiscard]] std::string memory_source() const override {
        return beneath_ ? "the largest device-local and the largest other memory heap of the Vulkan device beneath "
                          "vkd3d"
                        : "";
    }

    [[nodiscard]] Result<Com<ID3D12Device>> create_device() override { return device_.share(); }
    [[nodiscard]] bool needs_host_waits() const override { return true; }

private:
    Com<ID3D12Device> device_;
    std::optional<VulkanBeneath> beneath_;
    model::DeviceIdentity identity_;
};

}  // namespace

Result<std::vector<std::unique_ptr<Adapter>>> list_adapters(const SourceOptions& options) {
    HEAPWRIGHT_TRY(choose_vulkan_device(options));
    HEAPWRIGHT_ASSIGN(const Runtime runtime, load_runtime());
    HEAPWRIGHT_ASSIGN(Com<ID3D12Device> device, create_device_with(runtime.create_device, nullptr));
    std::vector<std::unique_ptr<Adapter>> adapters;
    adapters.push_back(std::make_unique<Vkd3dAdapter>(std::move(device), runtime, options));
    return adapters;
}

}  // namespace heapwright::d3d12
