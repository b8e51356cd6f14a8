// A stand-in for libdxcore.so: two adapters, in the calling convention that the compiler gives any class.
#include <wsl/winadapter.h>
//
#include <directx/dxcore_interface.h>

#include <cstring>

#include "fake_adapter.hpp"

using namespace heapwright::test;

namespace {

// Objects live as long as the process.
template <class Interface>
class Counted : public Interface {
public:
    HRESULT QueryInterface(REFIID, void**) override { return E_NOINTERFACE; }
    ULONG AddRef() override { return 2; }
    ULONG Release() override { return 1; }
};

class Adapter final : public Counted<IDXCoreAdapter> {
public:
    explicit Adapter(bool is_hardware) : is_hardware_(is_hardware) {}

    bool IsValid() override { return true; }
    bool IsAttributeSupported(REFGUID) override { return true; }
    bool IsPropertySupported(DXCoreAdapterProperty property) override {
        return property != DXCoreAdapterProperty::IsIntegrated;
    }

    HRESULT GetProperty(DXCoreAdapterProperty property, size_t size, void* data) override {
        switch (property) {
            case DXCoreAdapterProperty::InstanceLuid:
                return give(LUID{.LowPart = kFakeLuidLow, .HighPart = kFakeLuidHigh}, size, data);
            case DXCoreAdapterProperty::DriverVersion: return give(kFakeDriverVersion, size, data);
            case DXCoreAdapterProperty::DriverDescription:
                if (size < name_bytes()) return E_INVALIDARG;
                std::memcpy(data, name(), name_bytes());
                return S_OK;
            case DXCoreAdapterProperty::HardwareID:
                return give(
                    DXCoreHardwareID{.vendorID = kFakeVendor, .deviceID = kFakeDevice, .subSysID = 0, .revision = 0},
                    size, data);
            case DXCoreAdapterProperty::DedicatedAdapterMemory: return give(kFakeLocalBytes, size, data);
            case DXCoreAdapterProperty::SharedSystemMemory: return give(kFakeSharedBytes, size, data);
            case DXCoreAdapterProperty::IsHardware: return give(is_hardware_, size, data);
            default: return E_INVALIDARG;
        }
    }

    HRESULT GetPropertySize(DXCoreAdapterProperty property, size_t* size) override {
        if (property != DXCoreAdapterProperty::DriverDescription) return E_INVALIDARG;
        *size = name_bytes();
        return S_OK;
    }

    bool IsQueryStateSupported(DXCoreAdapterState state) override {
        return state == DXCoreAdapterState::AdapterMemoryBudget;
    }

    HRESULT QueryState(DXCoreAdapterState, size_t asked_size, const void* asked, size_t size, void* data) override {
        DXCoreAdapterMemoryBudgetNodeSegmentGroup group{};
        if (asked_size != sizeof group) return E_INVALIDARG;
        std::memcpy(&group, asked, sizeof group);
        const bool local = group.segmentGroup == DXCoreSegmentGroup::Local;
        return give(DXCoreAdapterMemoryBudget{.budget = local ? kFakeLocalBudget : kFakeSharedBudget,
                                              .currentUsage = local ? kFakeLocalUsage : 0,
                                              .availableForReservation = 0,
                                              .currentReservation = 0},
                    size, data);
    }

    bool IsSetStateSupported(DXCoreAdapterState) override { return false; }
    HRESULT SetState(DXCoreAdapterState, size_t, const void*, size_t, const void*) override { return E_NOTIMPL; }
    HRESULT GetFactory(REFIID, void**) override { return E_NOTIMPL; }

private:
    template <class Value>
    static HRESULT give(const Value& value, size_t size, void* data) {
        if (size != sizeof value) return E_INVALIDARG;
        std::memcpy(data, &value, sizeof value);
        return S_OK;
    }
    [[nodiscard]] const char* name() const { return is_hardware_ ? kFakeName : kFakeSoftwareName; }
    [[nodiscard]] size_t name_bytes() const { return std::strlen(name()) + 1; }

    bool is_hardware_;
};

class List final : public Counted<IDXCoreAdapterList> {
public:
    HRESULT GetAdapter(uint32_t index, REFIID, void** adapter) override {
        static Adapter adapters[] = {Adapter(true), Adapter(false)};
        if (index >= 2) return E_INVALIDARG;
        *adapter = &adapters[index];
        return S_OK;
    }
    uint32_t GetAdapterCount() override { return 2; }
    bool IsStale() override { return false; }
    HRESULT GetFactory(REFIID, void**) override { return E_NOTIMPL; }
    HRESULT Sort(uint32_t, const DXCoreAdapterPreference*) override { return E_NOTIMPL; }
    bool IsAdapterPreferenceSupported(DXCoreAdapterPreference) override { return false; }
};

class Factory final : public Counted<IDXCoreAdapterFactory> {
public:
    HRESULT CreateAdapterList(uint32_t count, const GUID* attributes, REFIID, void** list) override {
        // Its first part names DXCORE_ADAPTER_ATTRIBUTE_D3D12_GRAPHICS.
        if (count != 1 || attributes->Data1 != 0x0c9ece4d) return E_INVALIDARG;
        static List all;
        *list = &all;
        return S_OK;
    }
    HRESULT GetAdapterByLuid(const LUID&, REFIID, void**) override { return E_NOTIMPL; }
    bool IsNotificationTypeSupported(DXCoreNotificationType) override { return false; }
    HRESULT RegisterEventNotification(IUnknown*, DXCoreNotificationType, PFN_DXCORE_NOTIFICATION_CALLBACK, void*,
                                      uint32_t*) override {
        return E_NOTIMPL;
    }
    HRESULT UnregisterEventNotification(uint32_t) override { return E_NOTIMPL; }
};

}  // namespace

extern "C" HRESULT DXCoreCreateAdapterFactory(const GUID&, void** factory) {
    static Factory only;
    *factory = &only;
    return S_OK;
}
