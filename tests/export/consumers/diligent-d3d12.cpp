#include HEAPWRIGHT_EXPORT

#include "check.hpp"

int main() {
    Diligent::EngineD3D12CreateInfo info;
    heapwright_policy::configure(info);
    for (const auto size : info.CPUDescriptorHeapAllocationSize) CHECK(size > 0);
    CHECK(info.GPUDescriptorHeapSize[1] + info.GPUDescriptorHeapDynamicSize[1] <= 2048);
    CHECK(info.GPUDescriptorHeapSize[0] + info.GPUDescriptorHeapDynamicSize[0] <= 1000000);
    CHECK(info.DynamicDescriptorAllocationChunkSize[0] <= info.GPUDescriptorHeapDynamicSize[0]);
    CHECK(info.DynamicDescriptorAllocationChunkSize[1] <= info.GPUDescriptorHeapDynamicSize[1]);
    CHECK(info.NumDynamicHeapPagesToReserve > 0);
    std::printf("samplers %u + %u\n", info.GPUDescriptorHeapSize[1], info.GPUDescriptorHeapDynamicSize[1]);
}
