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
    for (const policy::Heap& heap : policy::kHeaps) CHECK(heap.usable_bytes <= heap.size_bytes);
    for (const policy::MemoryUse& use : policy::kMemoryUses) CHECK(use.type_count <= 32);
}
