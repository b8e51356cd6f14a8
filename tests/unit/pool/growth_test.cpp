// Chunk sizes that grow with the bucket, and the priority of their memory.
#include "memory_in_front.hpp"
#include "pool_scene.hpp"
#include "resources_in_front.hpp"

using namespace heapwright;
using namespace heapwright::test;
using model::MemoryUse;
using model::ResourceClass;

namespace {

model::DevicePolicy growing_policy(std::uint64_t first, std::uint64_t divisor) {
    model::DevicePolicy policy = pool_policy();
    policy.buckets[kBuffers].growth =
        model::ChunkGrowth{.first_chunk_bytes = chosen(first), .divisor = chosen(divisor)};
    return policy;
}

// Reads the priority that device memory is asked for with.
class PriorityWatch final : public MemoryInFront, private ResourcesInFront {
public:
    explicit PriorityWatch(device::Device& inner) : MemoryInFront(inner), ResourcesInFront(inner.resources()) {}
    device::ResourceBinder& resources() override { return *this; }
    std::vector<float> priorities;
    std::vector<float> dedicated_priorities;

private:
    Result<device::ResourceId> create_dedicated(const model::ResourceDescription& resource, MemoryTypeIndex memory_type,
                                                float priority) override {
        dedicated_priorities.push_back(priority);
        return ResourcesInFront::create_dedicated(resource, memory_type, priority);
    }
    Result<device::AllocationId> allocate(const device::AllocationRequest& request) override {
        priorities.push_back(request.priority);
        return MemoryInFront::allocate(request);
    }
};

}  // namespace

TEST_CASE("chunks grow with what the bucket holds, and start small again when it has shrunk") {
    const PoolScene scene(growing_policy(kMib, 2), {}, {.kept_empty_share = 0});
    std::vector<std::uint64_t> sizes;
    std::vector<pool::Placement> live;
    std::uint64_t reserved = 0;
    for (int i = 0; i < 40; ++i) {
        live.push_back(scene.buffer_memory(kMib).value());
        const std::uint64_t now = scene.pool->figures().buckets[kBuffers].reserved_bytes;
        if (now != reserved) sizes.push_back((now - reserved) / kMib);
        reserved = now;
    }
    // Held / 2, as a doubling of the first, at most the policy's 8 MiB.
    CHECK(sizes == std::vector<std::uint64_t>{1, 1, 1, 1, 2, 2, 4, 4, 8, 8, 8});
    for (const pool::Placement& placement : live) scene.free(placement);
    CHECK(scene.pool->figures().buckets[kBuffers].reserved_bytes == 0);
    REQUIRE(scene.buffer_memory(kMib));
    CHECK(scene.pool->figures().buckets[kBuffers].reserved_bytes == kMib);
    check_sound(*scene.pool);
}

TEST_CASE("a request larger than the grown chunk gets one of its own size, rounded to the granule") {
    const PoolScene scene(growing_policy(64 * kKib, 8));
    REQUIRE(scene.buffer_memory(3 * kMib + 5));
    CHECK(scene.pool->figures().buckets[kBuffers].reserved_bytes == 3 * kMib + 16);
    check_sound(*scene.pool);
}

TEST_CASE("growth that cannot work is refused with the bucket's name") {
    const auto replay = replay::open_replay(small_report());
    CHECK_FALSE(pool::MemoryPool::create(**replay, growing_policy(0, 2), {}));
    const auto refused = pool::MemoryPool::create(**replay, growing_policy(kMib, 0), {});
    REQUIRE_FALSE(refused);
    CHECK(refused.error().where.find("linear/256/0") != std::string::npos);
}

TEST_CASE("the memory of a bucket's chunks has the priority that the caller gives it") {
    const auto replay = replay::open_replay(small_report(), {.interpolate = true});
    PriorityWatch watch(**replay);
    const auto pool =
        pool::MemoryPool::create(watch, pool_policy(), {.chunk_priority = [](const model::BucketPolicy& bucket) {
                                     return bucket.resource_classes.front() == ResourceClass::kOptimal ? 1.0f : 0.25f;
                                 }});
    REQUIRE(pool);
    REQUIRE((*pool)->allocate(needs(kKib), ResourceClass::kOptimal, MemoryUse::kDeviceOnly));
    REQUIRE((*pool)->allocate(needs(kKib), ResourceClass::kLinear, MemoryUse::kDeviceOnly));
    CHECK(watch.priorities == std::vector<float>{1.0f, 0.25f});
}

TEST_CASE("the memory of a bucket has the priority of its policy, chunks and dedicated resources alike") {
    const auto replay = replay::open_replay(small_report(), {.interpolate = true});
    PriorityWatch watch(**replay);
    model::DevicePolicy policy = pool_policy();
    policy.buckets[kBuffers].priority = model::Decided<double>{.value = 0.75};
    const auto pool = pool::MemoryPool::create(watch, policy, {});
    REQUIRE(pool);
    REQUIRE((*pool)->allocate(needs(kKib), ResourceClass::kLinear, MemoryUse::kDeviceOnly));
    REQUIRE((*pool)->allocate(needs(kKib), ResourceClass::kOptimal, MemoryUse::kDeviceOnly));
    CHECK(watch.priorities == std::vector<float>{0.75f, 0.5f});
    const auto dedicated = (*pool)->allocate_dedicated(buffer_of(kMib), MemoryUse::kDeviceOnly);
    REQUIRE(dedicated);
    CHECK(watch.dedicated_priorities == std::vector<float>{0.75f});
    const auto own = (*pool)->allocate_dedicated(buffer_of(kMib), MemoryUse::kDeviceOnly, 0.125f);
    REQUIRE(own);
    CHECK(watch.dedicated_priorities == std::vector<float>{0.75f, 0.125f});
}
