#include HEAPWRIGHT_EXPORT

#include "check.hpp"

int main() {
    nvrhi::d3d12::DeviceDesc device;
    heapwright_policy::configure(device);
    CHECK(device.samplerHeapSize > 0 && device.samplerHeapSize <= 2048);
    CHECK(device.shaderResourceViewHeapSize > 0 && device.shaderResourceViewHeapSize <= 1000000);
    nvrhi::CommandListParameters list;
    heapwright_policy::configure(list);
    CHECK(list.uploadChunkSize > 0);
    CHECK(list.scratchMaxMemory == 1024 * 1024 * 1024);
    std::printf("samplers %u, upload chunks %zu\n", device.samplerHeapSize, list.uploadChunkSize);
}
