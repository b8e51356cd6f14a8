// The adapters that DXCore lists, on the Windows Subsystem for Linux.
// Source: "DXCore adapter enumeration" (Microsoft), DXCoreAdapterProperty.
#include <dlfcn.h>

#include <algorithm>
#include <filesystem>
#include <span>
#include <string>
#include <utility>

#include <fmt/format.h>

#include "core/breadcrumb.hpp"
#include "core/path.hpp"
#include "core/system.hpp"
#include "d3d12/adapter.hpp"
#include "d3d12/call.hpp"
//
#include <directx/dxcore_interface.h>

namespace heapwright::d3d12 {
namespace {

// Spelled out: the headers' own constants are for one file of a program to define.
constexpr GUID kFactory{0x78ee5945, 0xc36e, 0x4b13, {0xa6, 0x69, 0x00, 0x5d, 0xd1, 0x1c, 0x0f, 0x06}};
constexpr GUID kAdapterList{0x526c7776, 0x40e9, 0x459b, {0xb7, 0x11, 0xf3, 0x2a, 0xd7, 0x6d, 0xfc, 0x28}};
constexpr GUID kAdapter{0xf0db4c7f, 0xfe5a, 0x42a2, {0xbd, 0x62, 0xf2, 0xa6, 0xcf, 0x6f, 0xc8, 0x3e}};
constexpr GUID kD3d12Graphics{0x0c9ece4d, 0x2f6e, 0x4f01, {0x8c, 0x96, 0xe8, 0x9e, 0x33, 0x1b, 0x47, 0xb1}};

// The subsystem's own folder comes after the loader's search, which a user can direct.
constexpr const char* kDxcoreNames[] = {"libdxcore.so", "/usr/lib/wsl/lib/libdxcore.so"};

using CreateFactoryFunction = HRESULT(__stdcall*)(const GUID& interface_id, void** factory);

struct Library {
    std::filesystem::path file;
    void* symbol = nullptr;
};

// The libraries stay loaded until the process ends.
Result<Library> load(std::span<const std::string> names, const char* symbol_name) {
    std::string tried;
    for (const std::string& name : names) {
        leave_breadcrumb("dlopen", name);
        std::string reason = fmt::format("it has no {}", symbol_name);
        if (void* library = dlopen(name.c_str(), RTLD_NOW | RTLD_LOCAL); library == nullptr) {
            const char* text = dlerror();
            reason = text == nullptr ? "unknown reason" : text;
        } else if (void* symbol = dlsym(library, symbol_name); symbol != nullptr) {
            Dl_info info{};
            if (dladdr(symbol, &info) == 0 || info.dli_fname == nullptr) info.dli_fname = name.c_str();
            return Library{.file = path_of(info.dli_fname), .symbol = symbol};
        }
        tried += fmt::format("{}{} ({})", tried.empty() ? "" : ", ", name, reason);
    }
    return fail(ErrorCode::kNoLoader, "the subsystem's Direct3D 12 could not be loaded; tried " + tried);
}

std::vector<std::string> dxcore_names() {
    const std::string chosen = environment_variable("HEAPWRIGHT_DXCORE").value_or("");
    if (!chosen.empty()) return {chosen};
    return {std::begin(kDxcoreNames), std::end(kDxcoreNames)};
}

class DxcoreAdapter final : public Adapter {
public:
    DxcoreAdapter(Com<IDXCoreAdapter> adapter, CreateDeviceFunction create)
        : adapter_(std::move(adapter)), create_device_(create) {}

    [[nodiscard]] model::DeviceIdentity identity() const override {
        model::DeviceIdentity identity;
        identity.api = model::Api::kD3d12;
        identity.name = description();
        // Where nothing says so, a hardware adapter counts as discrete.
        identity.type = !property(DXCoreAdapterProperty::IsHardware, true)     ? model::DeviceType::kCpu
                        : property(DXCoreAdapterProperty::IsIntegrated, false) ? model::DeviceType::kIntegratedGpu
                                                                               : model::DeviceType::kDiscreteGpu;
        const auto hardware = property(DXCoreAdapterProperty::HardwareID, DXCoreHardwareID{});
        identity.vendor_id = hardware.vendorID;
        identity.device_id = hardware.deviceID;
        identity.driver_id = "D3D12";
        identity.driver_name = "libd3d12.so of the Windows Subsystem for Linux";
        const auto version = property(DXCoreAdapterProperty::DriverVersion, std::uint64_t{0});
        if (version != 0) {
            identity.driver_version = static_cast<std::uint32_t>(version);
            identity.driver_info = fmt::format("{}.{}.{}.{}", version >> 48, version >> 32 & 0xFFFF,
                                               version >> 16 & 0xFFFF, version & 0xFFFF);
        }
        const auto luid = property(DXCoreAdapterProperty::InstanceLuid, LUID{});
        identity.luid = fmt::format("{:08x}{:08x}", static_cast<std::uint32_t>(luid.HighPart), luid.LowPart);
        return identity;
    }

    [[nodiscard]] AdapterMemory memory() const override {
        return {.local_bytes = property(DXCoreAdapterProperty::DedicatedAdapterMemory, std::uint64_t{0}),
                .non_local_bytes = property(DXCoreAdapterProperty::SharedSystemMemory, std::uint64_t{0}),
                .local_budget = budget(DXCoreSegmentGroup::Local),
                .non_local_budget = budget(DXCoreSegmentGroup::NonLocal)};
    }

    [[nodiscard]] std::string memory_source() const override { return {}; }

    [[nodiscard]] Result<Com<ID3D12Device>> create_device() override {
        return create_device_with(create_device_, adapter_.get());
    }

    [[nodiscard]] bool needs_host_waits() const override { return false; }
    [[nodiscard]] bool copies_stencil() const override { return true; }

private:
    // What the adapter does not tell stays at its default.
    template <class Value>
    [[nodiscard]] Value property(DXCoreAdapterProperty name, Value otherwise) const {
        if (!adapter_->IsPropertySupported(name)) return otherwise;
        Value value{};
        return SUCCEEDED(adapter_->GetProperty(name, sizeof value, &value)) ? value : otherwise;
    }

    [[nodiscard]] std::string description() const {
        constexpr auto kName = DXCoreAdapterProperty::DriverDescription;
        std::size_t bytes = 0;
        if (FAILED(adapter_->GetPropertySize(kName, &bytes)) || bytes == 0) return "an adapter without a description";
        std::string text(bytes, '\0');
        if (FAILED(adapter_->GetProperty(kName, text.size(), text.data()))) return "an adapter without a description";
        text.resize(std::min(text.find('\0'), text.size()));
        return text;
    }

    [[nodiscard]] std::optional<model::HeapBudget> budget(DXCoreSegmentGroup group) const {
        constexpr auto kState = DXCoreAdapterState::AdapterMemoryBudget;
        const DXCoreAdapterMemoryBudgetNodeSegmentGroup asked{.nodeIndex = 0, .segmentGroup = group};
        DXCoreAdapterMemoryBudget told{};
        if (!adapter_->IsQueryStateSupported(kState) ||
            FAILED(adapter_->QueryState(kState, sizeof asked, &asked, sizeof told, &told))) {
            return std::nullopt;
        }
        return model::HeapBudget{.budget_bytes = told.budget, .usage_bytes = told.currentUsage};
    }

    Com<IDXCoreAdapter> adapter_;
    CreateDeviceFunction create_device_;
};

}  // namespace

Result<std::vector<std::unique_ptr<Adapter>>> list_adapters(const SourceOptions&) {
    HEAPWRIGHT_ASSIGN(const Library dxcore, load(dxcore_names(), "DXCoreCreateAdapterFactory"));
    const std::string beside = path_text(dxcore.file.parent_path() / "libd3d12.so");
    HEAPWRIGHT_ASSIGN(const Library runtime,
                      load(std::vector<std::string>{beside, "libd3d12.so"}, "D3D12CreateDevice"));
    const auto create_factory = reinterpret_cast<CreateFactoryFunction>(dxcore.symbol);
    const auto create_device = reinterpret_cast<CreateDeviceFunction>(runtime.symbol);

    Com<IDXCoreAdapterFactory> factory;
    leave_breadcrumb("DXCoreCreateAdapterFactory");
    HEAPWRIGHT_TRY(check(create_factory(kFactory, factory.out()), "DXCoreCreateAdapterFactory"));
    Com<IDXCoreAdapterList> list;
    leave_breadcrumb("IDXCoreAdapterFactory::CreateAdapterList");
    HEAPWRIGHT_TRY(check(factory->CreateAdapterList(1, &kD3d12Graphics, kAdapterList, list.out()),
                         "IDXCoreAdapterFactory::CreateAdapterList"));
    std::vector<std::unique_ptr<Adapter>> adapters;
    const std::uint32_t count = list->GetAdapterCount();
    for (std::uint32_t index = 0; index < count; ++index) {
        Com<IDXCoreAdapter> adapter;
        leave_breadcrumb("IDXCoreAdapterList::GetAdapter");
        HEAPWRIGHT_TRY(check(list->GetAdapter(index, kAdapter, adapter.out()), "IDXCoreAdapterList::GetAdapter"));
        adapters.push_back(std::make_unique<DxcoreAdapter>(std::move(adapter), create_device));
    }
    if (adapters.empty()) {
        return fail(ErrorCode::kNoDevice, "DXCore lists no adapter for Direct3D 12",
                    "IDXCoreAdapterList::GetAdapterCount");
    }
    return adapters;
}

}  // namespace heapwright::d3d12
