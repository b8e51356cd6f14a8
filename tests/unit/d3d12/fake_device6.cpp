#define CINTERFACE
#include "d3d12/api.hpp"
//
#include <cstdio>
#include <cstdlib>
#include <cstring>

#include "fake_device6.hpp"

namespace heapwright::test {

// Its first member is the pointer to the table, as of every such object.
struct FakeDevice6::Object {
    ID3D12Device6 device;
    ID3D12Device6Vtbl table;
    FakeDevice6* owner;
};

namespace {

// Spelled out, and so compared with the headers' identifier that the code under test asks with.
constexpr GUID kDevice6{0xc70b221b, 0x40e4, 0x4a17, {0x89, 0xaf, 0x02, 0x5a, 0x07, 0x27, 0xa6, 0xdc}};

constexpr std::size_t kMethods = sizeof(ID3D12Device6Vtbl) / sizeof(void (*)());

[[noreturn]] void STDMETHODCALLTYPE end_in_unexpected_method() {
    std::fprintf(stderr, "a method of the fake device was called that it does not have\n");
    std::abort();
}

FakeDevice6& fake(ID3D12Device6* self) {
    // The owner is found behind the table; see Object.
    FakeDevice6* owner = nullptr;
    std::memcpy(&owner, reinterpret_cast<const std::byte*>(self) + sizeof(ID3D12Device6) + sizeof(ID3D12Device6Vtbl),
                sizeof owner);
    return *owner;
}

ULONG STDMETHODCALLTYPE add_ref(ID3D12Device6* self) {
    return static_cast<ULONG>(++fake(self).references);
}

ULONG STDMETHODCALLTYPE release(ID3D12Device6* self) {
    return static_cast<ULONG>(--fake(self).references);
}

HRESULT STDMETHODCALLTYPE query_interface(ID3D12Device6* self, REFIID id, void** object) {
    *object = nullptr;
    const void* asked = &id;
    if (!fake(self).script.has_device6 || std::memcmp(asked, &kDevice6, sizeof kDevice6) != 0) return E_NOINTERFACE;
    add_ref(self);
    *object = self;
    return S_OK;
}

HRESULT STDMETHODCALLTYPE check_feature_support(ID3D12Device6* self, D3D12_FEATURE feature, void* data, UINT size) {
    D3D12_FEATURE_DATA_D3D12_OPTIONS6 options{};
    if (feature != D3D12_FEATURE_D3D12_OPTIONS6 || size != sizeof options || !fake(self).script.knows_options6)
        return E_INVALIDARG;
    options.BackgroundProcessingSupported = fake(self).script.background_processing_supported ? TRUE : FALSE;
    std::memcpy(data, &options, sizeof options);
    return S_OK;
}

HRESULT STDMETHODCALLTYPE get_device_removed_reason(ID3D12Device6* self) {
    return fake(self).script.removed_reason;
}

HRESULT STDMETHODCALLTYPE set_background_processing_mode(ID3D12Device6* self, D3D12_BACKGROUND_PROCESSING_MODE mode,
                                                         D3D12_MEASUREMENTS_ACTION action, HANDLE event, BOOL* more) {
    const BackgroundCall call{.mode = static_cast<int>(mode),
                              .action = static_cast<int>(action),
                              .event = event,
                              .wants_answer = more != nullptr};
    fake(self).calls.push_back(call);
    const FakeAnswer answer = fake(self).script.set_background_processing_mode(call);
    if (more != nullptr && answer.result >= 0) *more = answer.more ? TRUE : FALSE;
    return answer.result;
}

ID3D12Device6Vtbl make_table() {
    ID3D12Device6Vtbl table;
    auto* const places = reinterpret_cast<std::byte*>(&table);
    auto* const unexpected = &end_in_unexpected_method;
    for (std::size_t i = 0; i < kMethods; ++i)
        std::memcpy(places + i * sizeof unexpected, &unexpected, sizeof unexpected);
    table.QueryInterface = query_interface;
    table.AddRef = add_ref;
    table.Release = release;
    table.CheckFeatureSupport = check_feature_support;
    table.GetDeviceRemovedReason = get_device_removed_reason;
    table.SetBackgroundProcessingMode = set_background_processing_mode;
    return table;
}

}  // namespace

FakeDevice6::FakeDevice6(FakeScript given)
    : script(std::move(given)), object_(new Object{.device = {}, .table = make_table(), .owner = this}) {
    object_->device.lpVtbl = &object_->table;
}

FakeDevice6::~FakeDevice6() {
    delete object_;
}

void* FakeDevice6::get() {
    return &object_->device;
}

Device6Layout device6_layout() {
    return {.methods = kMethods,
            .set_background_processing_mode =
                offsetof(ID3D12Device6Vtbl, SetBackgroundProcessingMode) / sizeof(void (*)())};
}

}  // namespace heapwright::test
