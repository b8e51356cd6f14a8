// Which bucket a request goes to, what shares a chunk, and that nothing is reused before its timeline value.
#include "pool_scene.hpp"

using namespace heapwright;
using namespace heapwright::test;
using model::MemoryUse;
using model::ResourceClass;

namespace {

Result<pool::Placement> image_memory(pool::MemoryPool& pool, std::uint64_t alignment, std::uint32_t types = 0b111) {
    return pool.allocate(needs(65536, alignment, types), ResourceClass::kOptimal, MemoryUse::kDeviceOnly);
}

}  // namespace

TEST_CASE("a request goes to the smallest alignment that serves it, in the best memory type that it admits") {
    const PoolScene scene;
    pool::MemoryPool& pool = *scene.pool;
    CHECK(image_memory(pool, 256)->bucket == kSmallImages);
    CHECK(image_memory(pool, 1024)->bucket == kSmallImages);
    CHECK(image_memory(pool, 2048)->bucket == kLargeImages);
    CHECK(image_memory(pool, 65536)->bucket == kLargeImages);
    CHECK(image_memory(pool, 1024, 0b100)->bucket == kHostImages);
    CHECK(pool.allocate(needs(100), ResourceClass::kLinear, MemoryUse::kDeviceOnly)->bucket == kBuffers);
    CHECK(pool.allocate(needs(100), ResourceClass::kLinear, MemoryUse::kUpload)->bucket == kUploads);
    CHECK(pool.allocate(needs(100), ResourceClass::kLinear, MemoryUse::kStreaming)->bucket == kBarBuffers);
    CHECK(pool.allocate(needs(100, 16, 0b010), ResourceClass::kLinear, MemoryUse::kStreaming)->bucket == kUploads);
    check_sound(pool);
}

TEST_CASE("an alignment above every bucket's is placed by the suballocator of the largest") {
    const PoolScene scene;
    std::vector<pool::Placement> live;
    for (int i = 0; i < 3; ++i) {
        live.push_back(image_memory(*scene.pool, 65536).value());
        live.push_back(image_memory(*scene.pool, 1 << 20).value());
        CHECK(live.back().bucket == kLargeImages);
        CHECK(live.back().offset_bytes % (1 << 20) == 0);
    }
    CHECK(scene.chunks(kLargeImages) == 1);
    check_sound(*scene.pool);
}

TEST_CASE("memory alone that no bucket holds is said so, with the request") {
    const PoolScene scene;
    const auto no_type = scene.pool->allocate(needs(100, 16, 0b001), ResourceClass::kLinear, MemoryUse::kReadback);
    REQUIRE_FALSE(no_type);
    CHECK(no_type.error().code == ErrorCode::kNotSupported);
    CHECK(scene.pool->allocate(needs(0), ResourceClass::kLinear, MemoryUse::kUpload).error().code ==
          ErrorCode::kInvalidArgument);
    CHECK(scene.pool->allocate(needs(16, 24), ResourceClass::kLinear, MemoryUse::kUpload).error().code ==
          ErrorCode::kInvalidArgument);
    check_sound(*scene.pool);
}

TEST_CASE("buffers and optimal images share no chunk where the policy separates them") {
    const PoolScene scene;
    std::vector<pool::Resource> resources;
    for (int i = 0; i < 20; ++i) {
        auto image = scene.pool->create(sampled_image(64, 64), MemoryUse::kDeviceOnly);
        auto buffer = scene.pool->create(buffer_of(4096), MemoryUse::kDeviceOnly);
        REQUIRE(image);
        REQUIRE(buffer);
        CHECK(image->placement()->memory != buffer->placement()->memory);
        resources.push_back(std::move(*image));
        resources.push_back(std::move(*buffer));
    }
    check_sound(*scene.pool);
    CHECK(scene.replay->take_validation_messages().empty());
}

TEST_CASE("a bucket of both classes needs a granule of whole granularity pages, and then shares none") {
    constexpr std::uint64_t kGranularity = 4096;
    model::DeviceReport report = small_report();
    report.limits.push_back({"VkPhysicalDeviceLimits", "bufferImageGranularity", kGranularity});
    model::DevicePolicy policy = pool_policy();
    policy.separate_linear_and_optimal.value = false;
    policy.buckets = {pool_bucket("any/65536/0", ResourceClass::kLinear, 65536, 0, 8 * kMib)};
    policy.buckets[0].resource_classes.push_back(ResourceClass::kOptimal);

    const auto replay = replay::open_replay(report, {.interpolate = true});
    const auto refused = pool::MemoryPool::create(**replay, policy, {});
    REQUIRE_FALSE(refused);
    CHECK(refused.error().message.find("bufferImageGranularity") != std::string::npos);

    for (const auto kind : {model::SuballocatorKind::kTlsf, model::SuballocatorKind::kFixedBlocks,
                            model::SuballocatorKind::kLinear, model::SuballocatorKind::kRing}) {
        policy.buckets[0].granule_bytes.value = kGranularity;
        policy.buckets[0].suballocator.value = kind;
        const PoolScene scene(policy, {}, {}, report);
        std::vector<std::pair<std::uint64_t, ResourceClass>> pages;
        for (int i = 0; i < 40; ++i) {
            const auto which = i % 2 == 0 ? ResourceClass::kLinear : ResourceClass::kOptimal;
            const auto placement = scene.pool->allocate(needs(5000), which, MemoryUse::kDeviceOnly);
            REQUIRE(placement);
            const std::uint64_t first = placement->offset_bytes / kGranularity;
            const std::uint64_t last = (placement->offset_bytes + 5000 - 1) / kGranularity;
            for (std::uint64_t page = first; page <= last; ++page) {
                for (const auto& [other, owner] : pages) CHECK((other != page || owner == which));
                pages.emplace_back(page, which);
            }
        }
        check_sound(*scene.pool);
    }
}

TEST_CASE("a released placement is reused only after its timeline value") {
    const PoolScene scene;
    const auto first = scene.buffer_memory(4 * kMib);
    const auto second = scene.buffer_memory(4 * kMib);
    REQUIRE(first);
    REQUIRE(second);
    scene.pool->release(*first, TimelineValue{5});
    REQUIRE(scene.pool->release_completed(TimelineValue{4}));
    CHECK(scene.pool->figures().pending_releases == 1);
    CHECK(scene.pool->figures().pending_bytes == 4 * kMib);
    const auto elsewhere = scene.buffer_memory(4 * kMib);
    REQUIRE(elsewhere);
    CHECK(elsewhere->memory != first->memory);
    REQUIRE(scene.pool->release_completed(TimelineValue{5}));
    CHECK(scene.pool->figures().pending_releases == 0);
    const auto reused = scene.buffer_memory(4 * kMib);
    REQUIRE(reused);
    CHECK(reused->memory == first->memory);
    check_sound(*scene.pool);
}

TEST_CASE("a resource dropped while it is recorded waits for the recording's value") {
    const PoolScene scene;
    {
        auto resource = scene.pool->create(buffer_of(4096), MemoryUse::kDeviceOnly);
        REQUIRE(resource);
        scene.pool->begin_recording(TimelineValue{9});
    }
    REQUIRE(scene.pool->release_completed(TimelineValue{8}));
    CHECK(scene.replay->counters().resources == 1);
    REQUIRE(scene.pool->release_completed(TimelineValue{9}));
    CHECK(scene.replay->counters().resources == 0);
}

TEST_CASE("a placement freed twice is an error that changes nothing") {
    const PoolScene scene;
    const auto kept = scene.buffer_memory(100);
    const auto placement = scene.buffer_memory(100);
    REQUIRE(kept);
    REQUIRE(placement);
    scene.free(*placement);
    const auto before = scene.pool->figures().buckets[kBuffers].suballocations;
    scene.pool->release(*placement, {});
    const Status again = scene.pool->release_completed({});
    REQUIRE_FALSE(again);
    CHECK(again.error().code == ErrorCode::kInvariantBroken);
    CHECK(scene.pool->figures().buckets[kBuffers].suballocations == before);
    check_sound(*scene.pool);
}

TEST_CASE("figures of a heap and of the pool are those of all their chunks") {
    PoolScene scene;
    std::vector<pool::Placement> made;
    for (const auto resource_class : {ResourceClass::kLinear, ResourceClass::kOptimal}) {
        for (int i = 0; i < 3; ++i) {
            auto placement = scene.pool->allocate(needs(100'000), resource_class, MemoryUse::kDeviceOnly);
            REQUIRE(placement);
            made.push_back(*placement);
        }
    }
    scene.pool->release(made[1], TimelineValue{0});
    REQUIRE(scene.pool->release_completed(TimelineValue{1}));
    const pool::PoolFigures figures = scene.pool->figures();
    suballoc::Figures of_buckets;
    std::uint64_t fragmented = 0;
    for (const pool::BucketFigures& bucket : figures.buckets) {
        of_buckets += bucket.suballocations;
        fragmented += bucket.suballocations.external_fragmentation() > 0.0 ? 1u : 0u;
    }
    CHECK(figures.suballocations == of_buckets);
    CHECK(figures.suballocations.suballocation_count == made.size() - 1);
    CHECK(fragmented >= 1);
    suballoc::Figures of_heaps;
    for (const pool::HeapFigures& heap : figures.heaps) {
        of_heaps += heap.suballocations;
        CHECK(heap.used_bytes == heap.suballocations.used + heap.dedicated_bytes);
        CHECK(heap.suballocations.capacity == heap.reserved_bytes - heap.dedicated_bytes);
    }
    CHECK(of_heaps == of_buckets);
    std::uint64_t ranges = 0;
    for (const std::uint64_t count : of_heaps.free_ranges_by_size) ranges += count;
    CHECK(ranges == of_heaps.free_range_count);
}
