#include HEAPWRIGHT_EXPORT

#include "check.hpp"

namespace policy = heapwright_policy;

static_assert(policy::kBucketCount > 0 && policy::kHeapCount > 0);
static_assert(policy::kMaxChunks > 0 && policy::kHumongousThresholdBytes > 0);
static_assert(policy::kFramesInFlight > 0 && policy::kUploadsRingBytes >= policy::kUploadsPageBytes);
static_assert(policy::kDescriptorsResourcesCapacity > policy::kDescriptorsResourcesDynamicCapacity);

int main() {
    for (const policy::Bucket& bucket : policy::kBuckets) {
        CHECK(bucket.chunk_size_bytes > 0);
        CHECK(bucket.holds_linear || bucket.holds_optimal || bucket.holds_optimal_render_target);
        std::printf("%.*s: chunks of %llu\n", static_cast<int>(bucket.id.size()), bucket.id.data(),
                    static_cast<unsigned long long>(bucket.chunk_size_bytes));
    }
#ifdef OF_DIRECT3D12
    static_assert(policy::is_made_for(policy::kVendorId, policy::kDeviceId));
    static_assert(!policy::is_made_for(policy::kVendorId, policy::kDeviceId + 1));
#else
    static_assert(policy::is_made_for(policy::kHeapCount, policy::kMemoryTypes, policy::kMemoryTypeCount));
    static_assert(!policy::is_made_for(policy::kHeapCount + 1, policy::kMemoryTypes, policy::kMemoryTypeCount));
    for (std::uint32_t type = 0; type < policy::kMemoryTypeCount; ++type) {
        policy::MemoryType types[policy::kMemoryTypeCount] = {};
        for (std::uint32_t i = 0; i < policy::kMemoryTypeCount; ++i) types[i] = policy::kMemoryTypes[i];
        types[type].property_flags ^= 8;
        CHECK(!policy::is_made_for(policy::kHeapCount, types, policy::kMemoryTypeCount));
    }
#endif
    for (const policy::Heap& heap : policy::kHeaps) CHECK(heap.usable_bytes <= heap.size_bytes);
    for (const policy::MemoryUse& use : policy::kMemoryUses) CHECK(use.type_count <= 32);
}
