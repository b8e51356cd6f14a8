// The methods that return a structure, called the same way under both calling conventions (api.hpp).
// Thread-safe as the methods are.
#pragma once

#include "core/breadcrumb.hpp"
#include "d3d12/api.hpp"

namespace heapwright::d3d12 {

#ifdef HEAPWRIGHT_D3D12_OF_WSL

[[nodiscard]] inline D3D12_RESOURCE_ALLOCATION_INFO allocation_info(ID3D12Device* device,
                                                                    const D3D12_RESOURCE_DESC& desc) {
    leave_call("ID3D12Device::GetResourceAllocationInfo");
    return device->GetResourceAllocationInfo(0, 1, &desc);
}

[[nodiscard]] inline D3D12_HEAP_PROPERTIES custom_heap_properties(ID3D12Device* device, D3D12_HEAP_TYPE type) {
    leave_call("ID3D12Device::GetCustomHeapProperties");
    return device->GetCustomHeapProperties(0, type);
}

[[nodiscard]] inline D3D12_CPU_DESCRIPTOR_HANDLE first_cpu_handle(ID3D12DescriptorHeap* heap) {
    leave_call("ID3D12DescriptorHeap::GetCPUDescriptorHandleForHeapStart");
    return heap->GetCPUDescriptorHandleForHeapStart();
}

[[nodiscard]] inline D3D12_GPU_DESCRIPTOR_HANDLE first_gpu_handle(ID3D12DescriptorHeap* heap) {
    leave_call("ID3D12DescriptorHeap::GetGPUDescriptorHandleForHeapStart");
    return heap->GetGPUDescriptorHandleForHeapStart();
}

#else

[[nodiscard]] inline D3D12_RESOURCE_ALLOCATION_INFO allocation_info(ID3D12Device* device,
                                                                    const D3D12_RESOURCE_DESC& desc) {
    D3D12_RESOURCE_ALLOCATION_INFO info{};
    leave_call("ID3D12Device::GetResourceAllocationInfo");
    device->GetResourceAllocationInfo(&info, 0, 1, &desc);
    return info;
}

[[nodiscard]] inline D3D12_HEAP_PROPERTIES custom_heap_properties(ID3D12Device* device, D3D12_HEAP_TYPE type) {
    D3D12_HEAP_PROPERTIES properties{};
    leave_call("ID3D12Device::GetCustomHeapProperties");
    device->GetCustomHeapProperties(&properties, 0, type);
    return properties;
}

[[nodiscard]] inline D3D12_CPU_DESCRIPTOR_HANDLE first_cpu_handle(ID3D12DescriptorHeap* heap) {
    D3D12_CPU_DESCRIPTOR_HANDLE handle{};
    leave_call("ID3D12DescriptorHeap::GetCPUDescriptorHandleForHeapStart");
    heap->GetCPUDescriptorHandleForHeapStart(&handle);
    return handle;
}

[[nodiscard]] inline D3D12_GPU_DESCRIPTOR_HANDLE first_gpu_handle(ID3D12DescriptorHeap* heap) {
    D3D12_GPU_DESCRIPTOR_HANDLE handle{};
    leave_call("ID3D12DescriptorHeap::GetGPUDescriptorHandleForHeapStart");
    heap->GetGPUDescriptorHandleForHeapStart(&handle);
    return handle;
}

#endif

}  // namespace heapwright::d3d12
