// Against the real vk_mem_alloc.h, declarations only.
#include <vulkan/vulkan.h>

#include HEAPWRIGHT_EXPORT

#include "check.hpp"

int main() {
    VmaAllocatorCreateInfo info{};
    heapwright_policy::configure(info);
    CHECK(info.preferredLargeHeapBlockSize > 0);
    for (uint32_t heap = 0; heap < heapwright_policy::kHeapCount; ++heap) CHECK(info.pHeapSizeLimit[heap] > 0);
    VmaPoolCreateInfo pools[heapwright_policy::kPoolCount]{};
    heapwright_policy::describe_pools(pools);
    for (const VmaPoolCreateInfo& pool : pools) {
        CHECK(pool.blockSize > 0);
        CHECK(pool.memoryTypeIndex < 32);
        CHECK((pool.minAllocationAlignment & (pool.minAllocationAlignment - 1)) == 0);
        std::printf("type %u, blocks of %llu\n", pool.memoryTypeIndex, static_cast<unsigned long long>(pool.blockSize));
    }
}
