// A stand-in for libd3d12.so: a device that answers what a probe asks, in the calling convention that the compiler
// gives any class. A method that a probe does not call ends the process.
#include <wsl/winadapter.h>
//
#include <directx/d3d12.h>

#include <cstdio>
#include <cstdlib>
#include <cstring>

#include "fake_adapter.hpp"

using namespace heapwright::test;

namespace {

[[noreturn]] void end_in(const char* method) {
    std::fprintf(stderr, "the stand-in has no %s\n", method);
    std::abort();
}

// Objects live as long as the process.
template <class Interface>
class Counted : public Interface {
public:
    HRESULT QueryInterface(REFIID, void**) override { return E_NOINTERFACE; }
    ULONG AddRef() override { return 2; }
    ULONG Release() override { return 1; }
    HRESULT GetPrivateData(REFGUID, UINT*, void*) override { end_in("GetPrivateData"); }
    HRESULT SetPrivateData(REFGUID, UINT, const void*) override { end_in("SetPrivateData"); }
    HRESULT SetPrivateDataInterface(REFGUID, const IUnknown*) override { end_in("SetPrivateDataInterface"); }
    HRESULT SetName(LPCWSTR) override { end_in("SetName"); }
};

class DescriptorHeap final : public Counted<ID3D12DescriptorHeap> {
public:
    HRESULT GetDevice(REFIID, void**) override { end_in("GetDevice"); }
    D3D12_DESCRIPTOR_HEAP_DESC GetDesc() override { end_in("GetDesc"); }
    D3D12_CPU_DESCRIPTOR_HANDLE GetCPUDescriptorHandleForHeapStart() override { return {0x1000}; }
    D3D12_GPU_DESCRIPTOR_HANDLE GetGPUDescriptorHandleForHeapStart() override { return {0x2000}; }
};

UINT64 rounded_up(UINT64 size, UINT64 granule) {
    return (size + granule - 1) / granule * granule;
}

class Device final : public Counted<ID3D12Device> {
public:
    UINT GetNodeCount() override { return 1; }

    HRESULT CheckFeatureSupport(D3D12_FEATURE feature, void* data, UINT size) override {
        switch (feature) {
            case D3D12_FEATURE_D3D12_OPTIONS: {
                D3D12_FEATURE_DATA_D3D12_OPTIONS options{};
                options.ResourceHeapTier = D3D12_RESOURCE_HEAP_TIER_2;
                options.ResourceBindingTier = D3D12_RESOURCE_BINDING_TIER_3;
                return give(options, size, data);
            }
            case D3D12_FEATURE_ARCHITECTURE: return give(D3D12_FEATURE_DATA_ARCHITECTURE{}, size, data);
            case D3D12_FEATURE_FEATURE_LEVELS: {
                D3D12_FEATURE_DATA_FEATURE_LEVELS levels{};
                if (size != sizeof levels) return E_INVALIDARG;
                std::memcpy(&levels, data, sizeof levels);
                levels.MaxSupportedFeatureLevel = D3D_FEATURE_LEVEL_12_1;
                return give(levels, size, data);
            }
            case D3D12_FEATURE_FORMAT_SUPPORT: {
                D3D12_FEATURE_DATA_FORMAT_SUPPORT support{};
                if (size != sizeof support) return E_INVALIDARG;
                std::memcpy(&support, data, sizeof support);
                if (support.Format != DXGI_FORMAT_R8G8B8A8_UNORM) return E_FAIL;
                support.Support1 = D3D12_FORMAT_SUPPORT1_TEXTURE2D | D3D12_FORMAT_SUPPORT1_SHADER_SAMPLE |
                                   D3D12_FORMAT_SUPPORT1_SHADER_LOAD | D3D12_FORMAT_SUPPORT1_MIP;
                return give(support, size, data);
            }
            default: return E_INVALIDARG;
        }
    }

    HRESULT CreateDescriptorHeap(const D3D12_DESCRIPTOR_HEAP_DESC* desc, REFIID, void** heap) override {
        if (desc->Type == D3D12_DESCRIPTOR_HEAP_TYPE_SAMPLER && desc->NumDescriptors > kFakeMostSamplers) {
            return E_OUTOFMEMORY;
        }
        static DescriptorHeap only;
        *heap = &only;
        return S_OK;
    }

    UINT GetDescriptorHandleIncrementSize(D3D12_DESCRIPTOR_HEAP_TYPE) override { return kFakeDescriptorBytes; }

    // Returned in two registers.
    D3D12_RESOURCE_ALLOCATION_INFO GetResourceAllocationInfo(UINT mask, UINT count,
                                                             const D3D12_RESOURCE_DESC* desc) override {
        if (mask != 0 || count != 1) end_in("GetResourceAllocationInfo of several resources");
        if (desc->Alignment != 0 && desc->Alignment != 65536) return {.SizeInBytes = ~UINT64{0}, .Alignment = 65536};
        if (desc->Dimension == D3D12_RESOURCE_DIMENSION_BUFFER) {
            return {.SizeInBytes = rounded_up(desc->Width, kFakeBufferGranule), .Alignment = 65536};
        }
        return {.SizeInBytes = rounded_up(desc->Width * desc->Height * desc->DepthOrArraySize * 4, kFakeTextureGranule),
                .Alignment = 65536};
    }

    // Returned through a pointer that comes before the object's own.
    D3D12_HEAP_PROPERTIES GetCustomHeapProperties(UINT, D3D12_HEAP_TYPE type) override {
        return {.Type = D3D12_HEAP_TYPE_CUSTOM,
                .CPUPageProperty = type == D3D12_HEAP_TYPE_READBACK ? D3D12_CPU_PAGE_PROPERTY_WRITE_BACK
                                                                    : D3D12_CPU_PAGE_PROPERTY_WRITE_COMBINE,
                .MemoryPoolPreference = D3D12_MEMORY_POOL_L0,
                .CreationNodeMask = 1,
                .VisibleNodeMask = 1};
    }

    HRESULT GetDeviceRemovedReason() override { return S_OK; }
    LUID GetAdapterLuid() override { return {.LowPart = kFakeLuidLow, .HighPart = kFakeLuidHigh}; }

    HRESULT CreateCommandQueue(const D3D12_COMMAND_QUEUE_DESC*, REFIID, void**) override {
        end_in("CreateCommandQueue");
    }
    HRESULT CreateCommandAllocator(D3D12_COMMAND_LIST_TYPE, REFIID, void**) override {
        end_in("CreateCommandAllocator");
    }
    HRESULT CreateGraphicsPipelineState(const D3D12_GRAPHICS_PIPELINE_STATE_DESC*, REFIID, void**) override {
        end_in("CreateGraphicsPipelineState");
    }
    HRESULT CreateComputePipelineState(const D3D12_COMPUTE_PIPELINE_STATE_DESC*, REFIID, void**) override {
        end_in("CreateComputePipelineState");
    }
    HRESULT CreateCommandList(UINT, D3D12_COMMAND_LIST_TYPE, ID3D12CommandAllocator*, ID3D12PipelineState*, REFIID,
                              void**) override {
        end_in("CreateCommandList");
    }
    HRESULT CreateRootSignature(UINT, const void*, SIZE_T, REFIID, void**) override { end_in("CreateRootSignature"); }
    void CreateConstantBufferView(const D3D12_CONSTANT_BUFFER_VIEW_DESC*, D3D12_CPU_DESCRIPTOR_HANDLE) override {
        end_in("CreateConstantBufferView");
    }
    void CreateShaderResourceView(ID3D12Resource*, const D3D12_SHADER_RESOURCE_VIEW_DESC*,
                                  D3D12_CPU_DESCRIPTOR_HANDLE) override {
        end_in("CreateShaderResourceView");
    }
    void CreateUnorderedAccessView(ID3D12Resource*, ID3D12Resource*, const D3D12_UNORDERED_ACCESS_VIEW_DESC*,
                                   D3D12_CPU_DESCRIPTOR_HANDLE) override {
        end_in("CreateUnorderedAccessView");
    }
    void CreateRenderTargetView(ID3D12Resource*, const D3D12_RENDER_TARGET_VIEW_DESC*,
                                D3D12_CPU_DESCRIPTOR_HANDLE) override {
        end_in("CreateRenderTargetView");
    }
    void CreateDepthStencilView(ID3D12Resource*, const D3D12_DEPTH_STENCIL_VIEW_DESC*,
                                D3D12_CPU_DESCRIPTOR_HANDLE) override {
        end_in("CreateDepthStencilView");
    }
    void CreateSampler(const D3D12_SAMPLER_DESC*, D3D12_CPU_DESCRIPTOR_HANDLE) override { end_in("CreateSampler"); }
    void CopyDescriptors(UINT, const D3D12_CPU_DESCRIPTOR_HANDLE*, const UINT*, UINT,
                         const D3D12_CPU_DESCRIPTOR_HANDLE*, const UINT*, D3D12_DESCRIPTOR_HEAP_TYPE) override {
        end_in("CopyDescriptors");
    }
    void CopyDescriptorsSimple(UINT, D3D12_CPU_DESCRIPTOR_HANDLE, D3D12_CPU_DESCRIPTOR_HANDLE,
                               D3D12_DESCRIPTOR_HEAP_TYPE) override {
        end_in("CopyDescriptorsSimple");
    }
    HRESULT CreateCommittedResource(const D3D12_HEAP_PROPERTIES*, D3D12_HEAP_FLAGS, const D3D12_RESOURCE_DESC*,
                                    D3D12_RESOURCE_STATES, const D3D12_CLEAR_VALUE*, REFIID, void**) override {
        end_in("CreateCommittedResource");
    }
    HRESULT CreateHeap(const D3D12_HEAP_DESC*, REFIID, void**) override { end_in("CreateHeap"); }
    HRESULT CreatePlacedResource(ID3D12Heap*, UINT64, const D3D12_RESOURCE_DESC*, D3D12_RESOURCE_STATES,
                                 const D3D12_CLEAR_VALUE*, REFIID, void**) override {
        end_in("CreatePlacedResource");
    }
    HRESULT CreateReservedResource(const D3D12_RESOURCE_DESC*, D3D12_RESOURCE_STATES, const D3D12_CLEAR_VALUE*, REFIID,
                                   void**) override {
        end_in("CreateReservedResource");
    }
    HRESULT CreateSharedHandle(ID3D12DeviceChild*, const SECURITY_ATTRIBUTES*, DWORD, LPCWSTR, HANDLE*) override {
        end_in("CreateSharedHandle");
    }
    HRESULT OpenSharedHandle(HANDLE, REFIID, void**) override { end_in("OpenSharedHandle"); }
    HRESULT OpenSharedHandleByName(LPCWSTR, DWORD, HANDLE*) override { end_in("OpenSharedHandleByName"); }
    HRESULT MakeResident(UINT, ID3D12Pageable* const*) override { end_in("MakeResident"); }
    HRESULT Evict(UINT, ID3D12Pageable* const*) override { end_in("Evict"); }
    HRESULT CreateFence(UINT64, D3D12_FENCE_FLAGS, REFIID, void**) override { end_in("CreateFence"); }
    void GetCopyableFootprints(const D3D12_RESOURCE_DESC*, UINT, UINT, UINT64, D3D12_PLACED_SUBRESOURCE_FOOTPRINT*,
                               UINT*, UINT64*, UINT64*) override {
        end_in("GetCopyableFootprints");
    }
    HRESULT CreateQueryHeap(const D3D12_QUERY_HEAP_DESC*, REFIID, void**) override { end_in("CreateQueryHeap"); }
    HRESULT SetStablePowerState(BOOL) override { end_in("SetStablePowerState"); }
    HRESULT CreateCommandSignature(const D3D12_COMMAND_SIGNATURE_DESC*, ID3D12RootSignature*, REFIID, void**) override {
        end_in("CreateCommandSignature");
    }
    void GetResourceTiling(ID3D12Resource*, UINT*, D3D12_PACKED_MIP_INFO*, D3D12_TILE_SHAPE*, UINT*, UINT,
                           D3D12_SUBRESOURCE_TILING*) override {
        end_in("GetResourceTiling");
    }

private:
    template <class Value>
    static HRESULT give(const Value& value, UINT size, void* data) {
        if (size != sizeof value) return E_INVALIDARG;
        std::memcpy(data, &value, sizeof value);
        return S_OK;
    }
};

}  // namespace

extern "C" HRESULT D3D12CreateDevice(IUnknown* adapter, D3D_FEATURE_LEVEL minimum, const IID&, void** device) {
    if (adapter == nullptr || minimum != D3D_FEATURE_LEVEL_11_0) return E_INVALIDARG;
    static Device only;
    *device = &only;
    return S_OK;
}
