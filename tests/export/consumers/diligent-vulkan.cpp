#include HEAPWRIGHT_EXPORT

#include "check.hpp"

int main() {
    const Diligent::EngineVkCreateInfo before;
    Diligent::EngineVkCreateInfo info;
    heapwright_policy::configure(info);
    CHECK(info.DeviceLocalMemoryPageSize > 0);
    CHECK(info.HostVisibleMemoryPageSize > 0);
    CHECK(info.UploadHeapPageSize > 0 && info.UploadHeapPageSize <= info.DynamicHeapSize);
    // What the policy has no value for stays.
    CHECK(info.DynamicHeapPageSize == before.DynamicHeapPageSize);
    std::printf("device pages %u, host pages %u\n", info.DeviceLocalMemoryPageSize, info.HostVisibleMemoryPageSize);
}
