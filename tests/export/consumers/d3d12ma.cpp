#include HEAPWRIGHT_EXPORT

#include "check.hpp"

int main() {
    D3D12MA::ALLOCATOR_DESC desc{};
    heapwright_policy::configure(desc);
    CHECK(desc.PreferredBlockSize > 0);
    D3D12MA::POOL_DESC pools[heapwright_policy::kPoolCount]{};
    heapwright_policy::describe_pools(pools);
    for (const D3D12MA::POOL_DESC& pool : pools) {
        // 0 would be 64 MiB, whatever PreferredBlockSize is.
        CHECK(pool.BlockSize > 0);
        CHECK(pool.HeapProperties.Type >= D3D12_HEAP_TYPE_DEFAULT);
        CHECK((pool.MinAllocationAlignment & (pool.MinAllocationAlignment - 1)) == 0);
        std::printf("heap type %d, blocks of %llu\n", pool.HeapProperties.Type,
                    static_cast<unsigned long long>(pool.BlockSize));
    }
}
