// The Vulkan device beneath vkd3d. vkd3d tells which one it is (vkd3d_get_vk_physical_device), and Vulkan the rest.
#include <dlfcn.h>

#include <algorithm>
#include <climits>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <system_error>

#include <fmt/format.h>

#include "core/breadcrumb.hpp"
#include "core/file.hpp"
#include "d3d12/adapter.hpp"
#include "d3d12/call.hpp"
#include "d3d12/vulkan_beneath.hpp"

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
        HEAPWRIGHT_ASSIGN(const std::filesystem::path absolute, absolute_path(file));
        list += path_text(absolute);
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

// The Vulkan device that a vkd3d device works on; nothing where this vkd3d does not tell.
std::optional<VulkanBeneath> vulkan_beneath(ID3D12Device* device) {
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
    return VulkanBeneath(vulkan_of(instance_of(device)), physical_of(device), get);
}

// The queue that lies beneath one of vkd3d waits for itself.
void wait_beneath(ID3D12CommandQueue* queue) {
    using AcquireQueue = VkQueue (*)(ID3D12CommandQueue*);
    using ReleaseQueue = void (*)(ID3D12CommandQueue*);
    void* vkd3d = dlopen("libvkd3d.so.1", RTLD_NOW | RTLD_NOLOAD);
    void* vulkan = dlopen("libvulkan.so.1", RTLD_NOW | RTLD_NOLOAD);
    if (vkd3d == nullptr || vulkan == nullptr) return;
    const auto acquire = reinterpret_cast<AcquireQueue>(dlsym(vkd3d, "vkd3d_acquire_vk_queue"));
    const auto release = reinterpret_cast<ReleaseQueue>(dlsym(vkd3d, "vkd3d_release_vk_queue"));
    const auto wait = reinterpret_cast<PFN_vkQueueWaitIdle>(dlsym(vulkan, "vkQueueWaitIdle"));
    if (acquire == nullptr || release == nullptr || wait == nullptr) return;
    leave_call("vkQueueWaitIdle");
    if (const VkQueue beneath = acquire(queue); beneath != VK_NULL_HANDLE) wait(beneath);
    release(queue);
}

class Vkd3dAdapter final : public Adapter {
public:
    Vkd3dAdapter(Com<ID3D12Device> device, const Runtime& runtime, const SourceOptions& options)
        : device_(std::move(device)), beneath_(vulkan_beneath(device_.get())) {
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
    [[nodiscard]] bool copies_stencil() const override { return false; }
    void wait_without_signal(ID3D12CommandQueue* queue) const override { wait_beneath(queue); }

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
