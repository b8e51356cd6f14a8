// A Direct3D 12 runtime that fails on demand: libvkd3d-utils around the real one. A program that loads
// libvkd3d-utils.so.1 finds this one through LD_LIBRARY_PATH. Its functions, and the methods of the objects that they
// and those methods create, lead through gates (faults_on_demand.hpp) by the specification's names, as
// ID3D12Device::CreateHeap.
//
//   application -> gate (count; fault?) -> the real runtime's function or method
//
// HEAPWRIGHT_FAULT_RUNTIME  the real libvkd3d-utils.so.1
// A number as fault is given back as HRESULT.
//
// vkd3d keeps one table of methods for each kind of object, and knows its objects by that table's address: so the
// tables are changed where they are. Calls that vkd3d makes itself are neither counted nor changed. Source: d3d12.h of
// DirectX-Headers (the order of the methods).
#include <dlfcn.h>
#include <link.h>
#include <sys/mman.h>
#include <unistd.h>

#include <cstring>
#include <map>
#include <mutex>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "fault_driver/faults_on_demand.hpp"

namespace {

using namespace heapwright::fault_driver;

// The methods in the table's order, from the first that the interface adds; "" is one that no probe calls.
struct Interface {
    const char* name;
    std::size_t first;
    std::vector<const char*> methods;
};

constexpr std::size_t kOfUnknown = 3;  // QueryInterface, AddRef, Release
constexpr std::size_t kOfObject = kOfUnknown + 4;
constexpr std::size_t kOfChild = kOfObject + 1;

const Interface kUnknown{"IUnknown", 0, {"QueryInterface", "AddRef", "Release"}};
const Interface kChild{"ID3D12DeviceChild", kOfObject, {"GetDevice"}};
const Interface kBlob{"ID3D10Blob", kOfUnknown, {"GetBufferPointer", "GetBufferSize"}};
const Interface kDevice{"ID3D12Device",
                        kOfObject,
                        {"GetNodeCount",
                         "CreateCommandQueue",
                         "CreateCommandAllocator",
                         "CreateGraphicsPipelineState",
                         "CreateComputePipelineState",
                         "CreateCommandList",
                         "CheckFeatureSupport",
                         "CreateDescriptorHeap",
                         "GetDescriptorHandleIncrementSize",
                         "CreateRootSignature",
                         "CreateConstantBufferView",
                         "CreateShaderResourceView",
                         "CreateUnorderedAccessView",
                         "CreateRenderTargetView",
                         "CreateDepthStencilView",
                         "CreateSampler",
                         "CopyDescriptors",
                         "CopyDescriptorsSimple",
                         "GetResourceAllocationInfo",
                         "GetCustomHeapProperties",
                         "CreateCommittedResource",
                         "CreateHeap",
                         "CreatePlacedResource",
                         "CreateReservedResource",
                         "CreateSharedHandle",
                         "OpenSharedHandle",
                         "OpenSharedHandleByName",
                         "MakeResident",
                         "Evict",
                         "CreateFence",
                         "GetDeviceRemovedReason",
                         "GetCopyableFootprints",
                         "CreateQueryHeap",
                         "SetStablePowerState",
                         "CreateCommandSignature",
                         "GetResourceTiling",
                         "GetAdapterLuid"}};
const Interface kQueue{"ID3D12CommandQueue",
                       kOfChild,
                       {"UpdateTileMappings", "CopyTileMappings", "ExecuteCommandLists", "SetMarker", "BeginEvent",
                        "EndEvent", "Signal", "Wait", "GetTimestampFrequency", "GetClockCalibration", "GetDesc"}};
const Interface kAllocator{"ID3D12CommandAllocator", kOfChild, {"Reset"}};
const Interface kFence{"ID3D12Fence", kOfChild, {"GetCompletedValue", "SetEventOnCompletion", "Signal"}};
const Interface kHeap{"ID3D12Heap", kOfChild, {"GetDesc"}};
const Interface kResource{"ID3D12Resource",
                          kOfChild,
                          {"Map", "Unmap", "GetDesc", "GetGPUVirtualAddress", "WriteToSubresource",
                           "ReadFromSubresource", "GetHeapProperties"}};
const Interface kDescriptorHeap{
    "ID3D12DescriptorHeap",
    kOfChild,
    {"GetDesc", "GetCPUDescriptorHandleForHeapStart", "GetGPUDescriptorHandleForHeapStart"}};
const Interface kPipeline{"ID3D12PipelineState", kOfChild, {"GetCachedBlob"}};
const Interface kSignature{"ID3D12RootSignature", kOfChild, {}};
const Interface kList{"ID3D12GraphicsCommandList",
                      kOfChild + 1,  // GetType
                      {"Close",
                       "Reset",
                       "ClearState",
                       "DrawInstanced",
                       "DrawIndexedInstanced",
                       "Dispatch",
                       "CopyBufferRegion",
                       "CopyTextureRegion",
                       "CopyResource",
                       "CopyTiles",
                       "ResolveSubresource",
                       "IASetPrimitiveTopology",
                       "RSSetViewports",
                       "RSSetScissorRects",
                       "OMSetBlendFactor",
                       "OMSetStencilRef",
                       "SetPipelineState",
                       "ResourceBarrier",
                       "ExecuteBundle",
                       "SetDescriptorHeaps",
                       "SetComputeRootSignature",
                       "SetGraphicsRootSignature",
                       "SetComputeRootDescriptorTable",
                       "SetGraphicsRootDescriptorTable",
                       "SetComputeRoot32BitConstant",
                       "SetGraphicsRoot32BitConstant",
                       "SetComputeRoot32BitConstants",
                       "SetGraphicsRoot32BitConstants",
                       "SetComputeRootConstantBufferView",
                       "SetGraphicsRootConstantBufferView",
                       "SetComputeRootShaderResourceView",
                       "SetGraphicsRootShaderResourceView",
                       "SetComputeRootUnorderedAccessView",
                       "SetGraphicsRootUnorderedAccessView",
                       "IASetIndexBuffer",
                       "IASetVertexBuffers",
                       "SOSetTargets",
                       "OMSetRenderTargets",
                       "ClearDepthStencilView",
                       "ClearRenderTargetView"}};

// What a function or method creates, and which of its arguments says where the object goes.
struct Creation {
    const Interface* made;
    std::size_t argument;
};

const std::map<std::string, Creation, std::less<>>& creations() {
    static const std::map<std::string, Creation, std::less<>> kCreations{
        {"D3D12CreateDevice", {&kDevice, 3}},
        {"D3D12SerializeRootSignature", {&kBlob, 2}},
        {"ID3D12Device::CreateCommandQueue", {&kQueue, 3}},
        {"ID3D12Device::CreateCommandAllocator", {&kAllocator, 3}},
        {"ID3D12Device::CreateComputePipelineState", {&kPipeline, 3}},
        {"ID3D12Device::CreateGraphicsPipelineState", {&kPipeline, 3}},
        {"ID3D12Device::CreateCommandList", {&kList, 6}},
        {"ID3D12Device::CreateDescriptorHeap", {&kDescriptorHeap, 3}},
        {"ID3D12Device::CreateRootSignature", {&kSignature, 5}},
        {"ID3D12Device::CreateCommittedResource", {&kResource, 7}},
        {"ID3D12Device::CreateHeap", {&kHeap, 3}},
        {"ID3D12Device::CreatePlacedResource", {&kResource, 7}},
        {"ID3D12Device::CreateFence", {&kFence, 4}}};
    return kCreations;
}

class Runtime {
public:
    static Runtime& get() {
        static Runtime runtime;
        return runtime;
    }

    // To a function that the library exports.
    [[nodiscard]] Function gate_to(const char* name, Convention convention) const {
        void* const real = dlsym(library_, name);
        if (real == nullptr) give_up(std::string("the real runtime has no ") + name);
        return Gates::get().gate_to(name, reinterpret_cast<Function>(real), convention);
    }

    // Leads the methods of this object, and of all of its kind, through gates.
    void gate_methods(void* object, const Interface& interface) {
        auto* const methods = *static_cast<Function**>(object);
        const std::scoped_lock lock(mutex_);
        if (!done_.insert(methods).second) return;
        remember_library_of(reinterpret_cast<void*>(methods[0]));
        change(methods, kUnknown);
        if (interface.first > kOfObject) change(methods, kChild);
        change(methods, interface);
    }

    [[nodiscard]] bool is_the_runtimes_own(const void* caller) {
        const std::scoped_lock lock(mutex_);
        const auto address = reinterpret_cast<std::uintptr_t>(caller);
        for (const auto& [begin, end] : code_)
            if (address >= begin && address < end) return true;
        return false;
    }

private:
    Runtime() {
        const std::string file = environment("HEAPWRIGHT_FAULT_RUNTIME");
        if (file.empty()) give_up("HEAPWRIGHT_FAULT_RUNTIME names no libvkd3d-utils.so.1");
        library_ = dlopen(file.c_str(), RTLD_NOW | RTLD_LOCAL);
        if (library_ == nullptr) give_up("HEAPWRIGHT_FAULT_RUNTIME: " + std::string(dlerror()));
    }

    static void change(Function* methods, const Interface& interface) {
        const auto page_bytes = static_cast<std::uintptr_t>(sysconf(_SC_PAGESIZE));
        Function* const first = methods + interface.first;
        const auto begin = reinterpret_cast<std::uintptr_t>(first) / page_bytes * page_bytes;
        const auto end = reinterpret_cast<std::uintptr_t>(first + interface.methods.size());
        if (interface.methods.empty()) return;
        if (mprotect(reinterpret_cast<void*>(begin), end - begin, PROT_READ | PROT_WRITE) != 0)
            give_up("a table of methods cannot be changed");
        for (std::size_t i = 0; i < interface.methods.size(); ++i) {
            const std::string name = std::string(interface.name) + "::" + interface.methods[i];
            first[i] = Gates::get().gate_to(name.c_str(), first[i], Convention::kMicrosoft);
        }
    }

    void remember_library_of(void* function) {
        struct Search {
            std::uintptr_t address;
            std::vector<std::pair<std::uintptr_t, std::uintptr_t>> found;
        } search{reinterpret_cast<std::uintptr_t>(function), {}};
        dl_iterate_phdr(
            [](dl_phdr_info* info, std::size_t, void* opaque) {
                auto& wanted = *static_cast<Search*>(opaque);
                std::vector<std::pair<std::uintptr_t, std::uintptr_t>> parts;
                bool holds = false;
                for (int i = 0; i < info->dlpi_phnum; ++i) {
                    const auto& header = info->dlpi_phdr[i];
                    if (header.p_type != PT_LOAD || (header.p_flags & PF_X) == 0) continue;
                    const std::uintptr_t begin = info->dlpi_addr + header.p_vaddr;
                    parts.emplace_back(begin, begin + header.p_memsz);
                    holds = holds || (wanted.address >= begin && wanted.address < begin + header.p_memsz);
                }
                if (holds) wanted.found = std::move(parts);
                return holds ? 1 : 0;
            },
            &search);
        code_.insert(search.found.begin(), search.found.end());
    }

    void* library_ = nullptr;
    std::mutex mutex_;
    std::set<const void*> done_;
    std::set<std::pair<std::uintptr_t, std::uintptr_t>> code_;  // of the libraries whose methods are gated
};

// The real function or method, which has eight arguments at most, all of them numbers or pointers.
std::uint64_t create(const Gate& gate, const std::uint64_t* given, const Creation& creation) {
    using Call = std::uint64_t(__attribute__((ms_abi))*)(std::uint64_t, std::uint64_t, std::uint64_t, std::uint64_t,
                                                         std::uint64_t, std::uint64_t, std::uint64_t, std::uint64_t);
    const std::uint64_t result = reinterpret_cast<Call>(gate.real)(given[0], given[1], given[2], given[3], given[4],
                                                                   given[5], given[6], given[7]);
    const auto* const out = reinterpret_cast<void* const*>(given[creation.argument]);
    if (static_cast<std::int32_t>(result) >= 0 && out != nullptr && *out != nullptr)
        Runtime::get().gate_methods(*out, *creation.made);
    return static_cast<std::uint32_t>(result);
}

// Faults that change an answer are of Vulkan's functions.
std::uint64_t given_back(const Order* order) {
    return order == nullptr || order->fault != Fault::kResult ? kGoOn : static_cast<std::uint32_t>(order->result);
}

using Handle = void*;

}  // namespace

extern "C" {

std::uint64_t heapwright_fault_handler(void* gate, std::uint64_t*) {
    return given_back(Gates::get().take_call(*static_cast<Gate*>(gate)));
}

std::uint64_t heapwright_fault_method_handler(void* opaque, std::uint64_t* arguments, const void* caller) {
    auto& gate = *static_cast<Gate*>(opaque);
    if (Runtime::get().is_the_runtimes_own(caller)) return kGoOn;
    const std::uint64_t result = given_back(Gates::get().take_call(gate));
    if (result != kGoOn) return result;
    const auto creation = creations().find(gate.name);
    return creation == creations().end() ? kGoOn : create(gate, arguments, creation->second);
}

#define HEAPWRIGHT_FUNCTION __attribute__((visibility("default")))
#define HEAPWRIGHT_METHOD __attribute__((visibility("default"), ms_abi))

HEAPWRIGHT_METHOD std::int32_t D3D12CreateDevice(void* adapter, int level, const void* interface_id, void** device) {
    using Call = std::int32_t(__attribute__((ms_abi))*)(void*, int, const void*, void**);
    const Function gate = Runtime::get().gate_to("D3D12CreateDevice", Convention::kMicrosoft);
    return reinterpret_cast<Call>(gate)(adapter, level, interface_id, device);
}

HEAPWRIGHT_METHOD std::int32_t D3D12SerializeRootSignature(const void* description, int version, void** blob,
                                                           void** error) {
    using Call = std::int32_t(__attribute__((ms_abi))*)(const void*, int, void**, void**);
    const Function gate = Runtime::get().gate_to("D3D12SerializeRootSignature", Convention::kMicrosoft);
    return reinterpret_cast<Call>(gate)(description, version, blob, error);
}

HEAPWRIGHT_FUNCTION Handle vkd3d_create_event() {
    const Function gate = Runtime::get().gate_to("vkd3d_create_event", Convention::kSystemV);
    return reinterpret_cast<Handle (*)()>(gate)();
}

HEAPWRIGHT_FUNCTION std::int32_t vkd3d_signal_event(Handle event) {
    const Function gate = Runtime::get().gate_to("vkd3d_signal_event", Convention::kSystemV);
    return reinterpret_cast<std::int32_t (*)(Handle)>(gate)(event);
}

HEAPWRIGHT_FUNCTION unsigned vkd3d_wait_event(Handle event, unsigned milliseconds) {
    const Function gate = Runtime::get().gate_to("vkd3d_wait_event", Convention::kSystemV);
    return reinterpret_cast<unsigned (*)(Handle, unsigned)>(gate)(event, milliseconds);
}

HEAPWRIGHT_FUNCTION void vkd3d_destroy_event(Handle event) {
    const Function gate = Runtime::get().gate_to("vkd3d_destroy_event", Convention::kSystemV);
    reinterpret_cast<void (*)(Handle)>(gate)(event);
}

}  // extern "C"
