// The adapters that DXGI lists.
#include <cstring>
#include <utility>

#include "d3d12/adapter.hpp"
//
#include <dxgi1_4.h>
#include <fmt/format.h>

#include "core/breadcrumb.hpp"
#include "core/windows_text.hpp"
#include "d3d12/call.hpp"
#include "d3d12/wine_vulkan.hpp"

namespace heapwright::d3d12 {
namespace {

// Spelled out, so that no import library of identifiers is needed.
constexpr GUID kFactory1{0x770aae78, 0xf26f, 0x4dba, {0xa8, 0x29, 0x25, 0x3c, 0x83, 0xd1, 0xb3, 0x87}};
constexpr GUID kAdapter3{0x645967A4, 0x1392, 0x4310, {0xA7, 0x98, 0x80, 0x53, 0xCE, 0x3E, 0x93, 0xFD}};
// IDXGIDevice: asking an adapter for it gives the version of the user-mode driver.
constexpr GUID kDevice{0x54ec77fa, 0x1377, 0x44e6, {0x8c, 0x32, 0x88, 0xfd, 0x5f, 0x44, 0xc8, 0x4c}};

using CreateFactoryFunction = HRESULT(__stdcall*)(const GUID& interface_id, void** factory);

struct Runtime {
    CreateDeviceFunction create_device = nullptr;
    CreateFactoryFunction create_factory = nullptr;
};

Result<void (*)()> load(const char* library, const char* symbol) {
    leave_breadcrumb("LoadLibrary", library);
    HMODULE module = LoadLibraryA(library);
    if (module == nullptr) {
        return fail(ErrorCode::kNoLoader,
                    fmt::format("{} could not be loaded: {}", library, windows_error_text(GetLastError())));
    }
    auto* address = reinterpret_cast<void (*)()>(GetProcAddress(module, symbol));
    if (address == nullptr) return fail(ErrorCode::kNoLoader, fmt::format("{} has no {}", library, symbol));
    return address;
}

// What to do where the system gives no device of Direct3D 12.
Error with_advice(Error error) {
    error.code = ErrorCode::kDriverFailure;
    error.message +=
        wine_version()
            ? "; Wine's Direct3D 12 needs a Vulkan driver of the host and a display: start the program where "
              "DISPLAY is set, or with xvfb-run"
            : "; install or update the driver of this adapter, or choose another device";
    return error;
}

class DxgiAdapter final : public Adapter {
public:
    DxgiAdapter(Com<IDXGIAdapter1> adapter, const Runtime& runtime) : adapter_(std::move(adapter)), runtime_(runtime) {
        adapter_->GetDesc1(&description_);
        adapter_->QueryInterface(kAdapter3, adapter3_.out());
        DxgiAdapterIds ids{.luid = 0, .vendor_id = description_.VendorId, .device_id = description_.DeviceId};
        std::memcpy(&ids.luid, &description_.AdapterLuid, sizeof ids.luid);
        beneath_ = vulkan_beneath_wine(ids);
    }

    [[nodiscard]] model::DeviceIdentity identity() const override {
        model::DeviceIdentity identity;
        identity.api = model::Api::kD3d12;
        identity.name = utf8(description_.Description);
        const bool software = (description_.Flags & DXGI_ADAPTER_FLAG_SOFTWARE) != 0;
        identity.type = software                                ? model::DeviceType::kCpu
                        : description_.DedicatedVideoMemory > 0 ? model::DeviceType::kDiscreteGpu
                                                                : model::DeviceType::kIntegratedGpu;
        identity.vendor_id = description_.VendorId;
        identity.device_id = description_.DeviceId;
        identity.driver_id = "D3D12";
        identity.driver_name = "d3d12.dll";
        LARGE_INTEGER version{};
        if (SUCCEEDED(adapter_->CheckInterfaceSupport(kDevice, &version))) {
            const auto parts = static_cast<std::uint64_t>(version.QuadPart);
            identity.driver_version = static_cast<std::uint32_t>(parts);
            identity.driver_info =
                fmt::format("{}.{}.{}.{}", parts >> 48, parts >> 32 & 0xFFFF, parts >> 16 & 0xFFFF, parts & 0xFFFF);
        }
        identity.luid = fmt::format("{:08x}{:08x}", static_cast<std::uint32_t>(description_.AdapterLuid.HighPart),
                                    description_.AdapterLuid.LowPart);
        if (const auto wine = wine_version()) describe_under_wine(*wine, identity);
        return identity;
    }

    [[nodiscard]] AdapterMemory memory() const override {
        if (beneath_) return beneath_->memory();
        AdapterMemory memory{.local_bytes = description_.DedicatedVideoMemory,
                             .non_local_bytes = description_.SharedSystemMemory,
                             .local_budget = budget(DXGI_MEMORY_SEGMENT_GROUP_LOCAL),
                             .non_local_budget = budget(DXGI_MEMORY_SEGMENT_GROUP_NON_LOCAL)};
        return memory;
    }

    [[nodiscard]] std::string memory_source() const override {
        return beneath_ ? "the largest device-local and the largest other memory heap of the Vulkan device beneath Wine"
                        : "";
    }

    [[nodiscard]] Result<Com<ID3D12Device>> create_device() override {
        auto device = create_device_with(runtime_.create_device, adapter_.get());
        if (device) return device;
        return fail(with_advice(device.error()));
    }

    // Wine's Direct3D 12 is vkd3d.
    [[nodiscard]] bool needs_host_waits() const override { return wine_version().has_value(); }
    [[nodiscard]] bool copies_stencil() const override { return !wine_version(); }

    // Its vkd3d (1.6, 1eaf73147cd3) knows the heaps that SetComputeRootDescriptorTable looks for only where it
    // registered them, which it does with this extension alone; else it drops every table and programs read zeros.
    [[nodiscard]] std::string table_objection() const override {
        const auto wine = wine_version();
        if (!wine || !wine->starts_with("8.0") || !beneath_ || beneath_->has(VK_EXT_DESCRIPTOR_INDEXING_EXTENSION_NAME))
            return {};
        return fmt::format("d3d12.dll of Wine {} drops every descriptor table over a Vulkan device without {}", *wine,
                           VK_EXT_DESCRIPTOR_INDEXING_EXTENSION_NAME);
    }

private:
    void describe_under_wine(const std::string& version, model::DeviceIdentity& identity) const {
        identity.driver_name = fmt::format("d3d12.dll of Wine {}", version);
        if (!beneath_) {
            identity.type = model::DeviceType::kOther;
            return;
        }
        model::DeviceIdentity vulkan;
        beneath_->describe(vulkan);
        identity.name = vulkan.name;
        identity.type = vulkan.type;
        identity.vendor_id = vulkan.vendor_id;
        identity.device_id = vulkan.device_id;
        identity.driver_version = vulkan.driver_version;
        identity.driver_name += " over " + vulkan.driver_name;
        identity.driver_info = vulkan.driver_info;
        identity.device_uuid = vulkan.device_uuid;
        identity.driver_uuid = vulkan.driver_uuid;
    }

    [[nodiscard]] std::optional<model::HeapBudget> budget(DXGI_MEMORY_SEGMENT_GROUP group) const {
        DXGI_QUERY_VIDEO_MEMORY_INFO info{};
        if (!adapter3_ || FAILED(adapter3_->QueryVideoMemoryInfo(0, group, &info))) return std::nullopt;
        return model::HeapBudget{.budget_bytes = info.Budget, .usage_bytes = info.CurrentUsage};
    }

    Com<IDXGIAdapter1> adapter_;
    Com<IDXGIAdapter3> adapter3_;
    Runtime runtime_;
    DXGI_ADAPTER_DESC1 description_{};
    std::optional<VulkanBeneath> beneath_;  // under Wine alone
};

}  // namespace

Result<std::vector<std::unique_ptr<Adapter>>> list_adapters(const SourceOptions&) {
    Runtime runtime;
    HEAPWRIGHT_ASSIGN(const auto create_device, load("d3d12.dll", "D3D12CreateDevice"));
    HEAPWRIGHT_ASSIGN(const auto create_factory, load("dxgi.dll", "CreateDXGIFactory1"));
    runtime.create_device = reinterpret_cast<CreateDeviceFunction>(create_device);
    runtime.create_factory = reinterpret_cast<CreateFactoryFunction>(create_factory);
    Com<IDXGIFactory1> factory;
    leave_breadcrumb("CreateDXGIFactory1");
    if (const auto created = check(runtime.create_factory(kFactory1, factory.out()), "CreateDXGIFactory1"); !created) {
        return fail(with_advice(created.error()));
    }
    std::vector<std::unique_ptr<Adapter>> adapters;
    for (UINT index = 0;; ++index) {
        IDXGIAdapter1* adapter = nullptr;
        leave_breadcrumb("IDXGIFactory1::EnumAdapters1");
        if (FAILED(factory->EnumAdapters1(index, &adapter))) break;
        adapters.push_back(std::make_unique<DxgiAdapter>(Com<IDXGIAdapter1>(adapter), runtime));
    }
    if (adapters.empty()) return fail(ErrorCode::kNoDevice, "DXGI lists no adapter", "IDXGIFactory1::EnumAdapters1");
    return adapters;
}

}  // namespace heapwright::d3d12
