// Against the real vk_mem_alloc.h, declarations only.
#include <vulkan/vulkan.h>

#include <initializer_list>

#include HEAPWRIGHT_EXPORT

#include "check.hpp"

int main() {
    VmaAllocatorCreateInfo info{};
    heapwright_policy::configure(info);
    CHECK(info.preferredLargeHeapBlockSize > 0);
    for (uint32_t heap = 0; heap < heapwright_policy::kHeapCount; ++heap) CHECK(info.pHeapSizeLimit[heap] > 0);
    // The device that the header is made for, and others.
    VkPhysicalDeviceMemoryProperties memory{};
    memory.memoryHeapCount = heapwright_policy::kHeapCount;
    memory.memoryTypeCount = heapwright_policy::kMemoryTypeCount;
    for (uint32_t type = 0; type < memory.memoryTypeCount; ++type)
        memory.memoryTypes[type] = heapwright_policy::kMemoryTypesOfDevice[type];
    CHECK(heapwright_policy::is_made_for(memory));
    for (uint32_t type = 0; type < memory.memoryTypeCount; ++type) {
        VkPhysicalDeviceMemoryProperties other = memory;
        other.memoryTypes[type].propertyFlags ^= VK_MEMORY_PROPERTY_HOST_CACHED_BIT;
        CHECK(!heapwright_policy::is_made_for(other));
        other = memory;
        ++other.memoryTypes[type].heapIndex;
        CHECK(!heapwright_policy::is_made_for(other));
    }
    for (uint32_t* count : {&memory.memoryHeapCount, &memory.memoryTypeCount}) {
        ++*count;
        CHECK(!heapwright_policy::is_made_for(memory));
        --*count;
    }
    VmaPoolCreateInfo pools[heapwright_policy::kPoolCount]{};
    heapwright_policy::describe_pools(pools);
    for (const VmaPoolCreateInfo& pool : pools) {
        CHECK(pool.blockSize > 0);
        CHECK(pool.memoryTypeIndex < 32);
        CHECK((pool.minAllocationAlignment & (pool.minAllocationAlignment - 1)) == 0);
        // pool_for() gives a small resource the pool of its memory type, and a larger one than fits its own memory.
        const auto index = static_cast<int>(&pool - pools);
        const heapwright_policy::Pool& described = heapwright_policy::kPools[index];
        for (int use = 0;
             use < int(sizeof(heapwright_policy::kMemoryTypes) / sizeof(heapwright_policy::kMemoryTypes[0])); ++use) {
            bool ranked = false;
            for (const int* type = heapwright_policy::kMemoryTypes[use]; *type >= 0; ++type)
                ranked = ranked || *type == static_cast<int>(described.memory_type);
            VkMemoryRequirements needs{256, described.alignment, 1u << described.memory_type};
            VkMemoryDedicatedRequirements own{};
            const auto kind = static_cast<heapwright_policy::Use>(use);
            const bool image = !described.buffers;
            const int taken = heapwright_policy::pool_for(kind, image, needs, own);
            CHECK(ranked ? taken >= 0 && heapwright_policy::kPools[taken].memory_type == described.memory_type &&
                               heapwright_policy::kPools[taken].alignment == described.alignment
                         : taken == -1);
            needs.alignment *= 1024;  // more than any pool's: that of the largest alignment takes it
            CHECK((heapwright_policy::pool_for(kind, image, needs, own) >= 0) == ranked);
            own.prefersDedicatedAllocation = VK_TRUE;
            CHECK((heapwright_policy::pool_for(kind, image, needs, own) >= 0) ==
                  (ranked && !heapwright_policy::kOwnMemoryWherePreferred));
            own = {};
            own.requiresDedicatedAllocation = VK_TRUE;
            CHECK(heapwright_policy::pool_for(kind, image, needs, own) == -1);
            own = {};
            needs.size = heapwright_policy::kOwnMemoryAbove + 1;
            CHECK(heapwright_policy::pool_for(kind, image, needs, own) == -1);
            needs = {256, 1, 0};
            CHECK(heapwright_policy::pool_for(kind, image, needs, own) == -1);
        }
        std::printf("type %u, blocks of %llu\n", pool.memoryTypeIndex, static_cast<unsigned long long>(pool.blockSize));
    }
}
