// Requests that the workload did not name, and memory types that are full: served as long as one has room.
#include "placer_scene.hpp"

using namespace heapwright;
using namespace heapwright::test;
using model::Dedicated;
using model::MemoryUse;
using model::ResourceClass;

namespace {

pool::MemoryPlacer::Request asks(std::uint64_t size_bytes, ResourceClass resource_class, MemoryUse use,
                                 std::uint64_t alignment_bytes = 16, std::uint32_t types = 0b111) {
    return {.requirements = needs(size_bytes, alignment_bytes, types), .resource_class = resource_class, .use = use};
}

}  // namespace

TEST_CASE("a class that the policy has no bucket for gets memory of its own in the first type with room") {
    model::DevicePolicy policy = pool_policy();
    policy.heaps[1].usable_bytes.value = 2 * kMib;
    PlacerScene scene(policy);
    const auto image = scene.place(asks(kMib, ResourceClass::kOptimal, MemoryUse::kReadback));
    REQUIRE(image);
    CHECK_FALSE(image->placement);
    CHECK(type_of(*image) == 1);
    CHECK(scene.placer->figures().dedicated_allocations == 1);
    check_sound(*scene.placer);
    // A use whose first type has no bucket and no room: the second type's bucket.
    REQUIRE(scene.place(asks(kMib, ResourceClass::kOptimal, MemoryUse::kReadback)));
    const auto spilled = scene.place(asks(kMib, ResourceClass::kOptimal, MemoryUse::kUpload));
    REQUIRE(spilled);
    REQUIRE(spilled->placement);
    CHECK(spilled->placement->bucket == kHostImages);
    check_sound(*scene.placer);
}

TEST_CASE("a full window of a small BAR spills into system memory, and is used again when it has room") {
    model::DevicePolicy policy = pool_policy();
    policy.heaps[0].usable_bytes.value = 8 * kMib;
    policy.heaps[1].usable_bytes.value = 512 * kMib;
    policy.buckets.erase(policy.buckets.begin() + kUploads);  // as planned on the first type alone
    PlacerScene scene(policy);
    std::vector<pool::Release> live;
    for (int i = 0; i < 40; ++i) {
        auto made = scene.place(asks(kMib, ResourceClass::kLinear, MemoryUse::kStreaming));
        if (!made) FAIL(to_string(made.error()));
        CHECK(type_of(*made) == (i < 8 ? 2 : 1));
        live.push_back(*made);
    }
    check_sound(*scene.placer);
    scene.free(live.front());
    const auto again = scene.place(asks(kMib, ResourceClass::kLinear, MemoryUse::kStreaming));
    REQUIRE(again);
    CHECK(type_of(*again) == 2);
    check_sound(*scene.placer);
}

TEST_CASE("a preferred allocation of its own is tried in one type, then its bucket, before the next type") {
    model::DevicePolicy policy = pool_policy();
    policy.dedicated = chosen(model::DedicatedRule::kWhenPreferred);
    policy.memory_uses[0].memory_types.value = {0, 1};
    policy.heaps[0].usable_bytes.value = 8 * kMib;
    PlacerScene scene(policy);
    REQUIRE(scene.place(asks(kMib, ResourceClass::kOptimal, MemoryUse::kDeviceOnly, 1024)));
    auto request = asks(kMib, ResourceClass::kOptimal, MemoryUse::kDeviceOnly, 1024);
    request.requirements.dedicated = Dedicated::kPreferred;
    const auto made = scene.place(request);
    REQUIRE(made);
    // Heap 0 is reserved whole by a chunk that has room; heap 1 has room for an allocation of its own.
    CHECK(made->placement);
    CHECK(type_of(*made) == 0);
    check_sound(*scene.placer);
}

TEST_CASE("what is humongous gets memory of its own unless the policy's rule is to refuse it") {
    model::DevicePolicy policy = pool_policy();
    const auto request = asks(16 * kMib, ResourceClass::kLinear, MemoryUse::kDeviceOnly);
    SECTION("own memory") {
        policy.humongous = chosen(model::HumongousRule::kOwnMemory);
        PlacerScene scene(policy);
        const auto made = scene.place(request);
        REQUIRE(made);
        CHECK_FALSE(made->placement);
        // Memory alone is a range of a chunk, which is made for it.
        const auto alone = scene.placer->allocate(request);
        REQUIRE(alone);
        CHECK(scene.placer->figures().buckets[kBuffers].reserved_bytes == 16 * kMib);
        check_sound(*scene.placer);
    }
    SECTION("refuse") {
        policy.humongous = chosen(model::HumongousRule::kRefuse);
        PlacerScene scene(policy);
        CHECK(scene.place(request).error().code == ErrorCode::kRefused);
        CHECK(scene.placer->allocate(request).error().code == ErrorCode::kRefused);
        // The driver's word goes first.
        auto required = request;
        required.requirements.dedicated = Dedicated::kRequired;
        CHECK(scene.place(required));
    }
}

TEST_CASE("transient attachments lie in lazily allocated memory as long as it has room, nothing else does") {
    namespace property = model::memory_property;
    model::DeviceReport report = small_report();
    report.heaps.push_back({.size_bytes = kGib, .flags = model::memory_heap::kDeviceLocal});
    report.run.heap_budgets.push_back({.budget_bytes = kGib});
    report.memory_types.push_back(
        {.heap_index = 2, .property_flags = property::kDeviceLocal | property::kLazilyAllocated});
    model::DevicePolicy policy = pool_policy();
    policy.heaps.push_back({.heap = 2, .usable_bytes = chosen<std::uint64_t>(8 * kMib)});
    policy.buckets.push_back(pool_bucket("optimal/65536/3", ResourceClass::kOptimal, 65536, 3, 4 * kMib));
    PlacerScene scene(policy, report);
    auto request = asks(2 * kMib, ResourceClass::kOptimal, MemoryUse::kDeviceOnly, 65536, 0b1111);
    CHECK(type_of(scene.place(request).value()) == 0);
    request.transient_attachment = true;
    for (int i = 0; i < 4; ++i) CHECK(type_of(scene.place(request).value()) == 3);
    CHECK(scene.placer->figures().heaps[2].used_bytes == 8 * kMib);
    CHECK(type_of(scene.place(request).value()) == 0);
    request.requirements.memory_type_bits = 0b0001;  // the driver admits no lazily allocated type
    CHECK(type_of(scene.place(request).value()) == 0);
    check_sound(*scene.placer);
    CHECK(model::is_transient_attachment(model::ImageDescription{.usage = model::image_usage::kTransientAttachment}));
    CHECK_FALSE(model::is_transient_attachment(sampled_image(4, 4)));
}

TEST_CASE("at a limit over all heaps the empty chunks of every heap go back") {
    const auto fill = [](const PoolScene& scene) {
        const auto upload = scene.pool->allocate(needs(kMib), ResourceClass::kLinear, MemoryUse::kUpload);
        REQUIRE(upload);
        scene.free(*upload);
        REQUIRE(scene.chunks(kUploads) == 1);
        // Needs a chunk in heap 0, while an empty one lies in heap 1.
        const auto made = scene.buffer_memory(kMib);
        if (!made) FAIL(to_string(made.error()));
        CHECK(scene.chunks(kUploads) == 0);
        check_sound(*scene.pool);
    };
    SECTION("the number of device allocations") {
        model::DevicePolicy policy = pool_policy();
        policy.max_chunks.value = 1;
        fill(PoolScene(policy));
    }
    SECTION("the memory limit") {
        fill(PoolScene(pool_policy(), {}, {.memory_limit_bytes = 8 * kMib, .kept_empty_share = 1.0}));
    }
    SECTION("but not at a heap's own limit") {
        model::DevicePolicy policy = pool_policy();
        policy.memory_uses[0].memory_types.value = {0};
        policy.heaps[0].usable_bytes.value = 8 * kMib;
        const PoolScene scene(policy);
        const auto upload = scene.pool->allocate(needs(kMib), ResourceClass::kLinear, MemoryUse::kUpload);
        REQUIRE(upload);
        scene.free(*upload);
        for (int i = 0; i < 2; ++i) REQUIRE(scene.buffer_memory(4 * kMib));
        CHECK_FALSE(scene.buffer_memory(kMib));
        CHECK(scene.chunks(kUploads) == 1);
    }
}

TEST_CASE("a request above maxMemoryAllocationSize is out of range, whatever the policy") {
    model::DevicePolicy policy = pool_policy();
    policy.humongous_threshold_bytes.value = ~0ull;
    PlacerScene scene(policy);
    const auto request = asks(33 * kGib, ResourceClass::kLinear, MemoryUse::kDeviceOnly);
    CHECK(scene.place(request).error().code == ErrorCode::kOutOfRange);
    CHECK(scene.placer->allocate(request).error().code == ErrorCode::kOutOfRange);
}
