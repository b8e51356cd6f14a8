// Resources that share memory because the caller asked for it, and only then.
#include "pool_scene.hpp"

using namespace heapwright;
using namespace heapwright::test;
using model::MemoryUse;

namespace {

std::vector<model::ResourceDescription> two_targets() {
    return {sampled_image(256, 256), sampled_image(64, 64)};
}

}  // namespace

TEST_CASE("aliasing resources share one placement that ends with the last of them") {
    const PoolScene scene;
    auto shared = scene.pool->allocate_aliasing(two_targets(), MemoryUse::kDeviceOnly);
    if (!shared) FAIL(to_string(shared.error()));
    REQUIRE(shared->size() == 2);
    CHECK(shared->at(0).is_aliasing());
    CHECK(shared->at(0).placement()->offset_bytes == shared->at(1).placement()->offset_bytes);
    CHECK(shared->at(0).placement()->memory == shared->at(1).placement()->memory);
    CHECK(shared->at(0).id() != shared->at(1).id());
    const auto other = scene.pool->create(sampled_image(256, 256), MemoryUse::kDeviceOnly);
    REQUIRE(other);
    CHECK_FALSE(other->is_aliasing());
    CHECK(other->placement()->offset_bytes != shared->at(0).placement()->offset_bytes);

    shared->at(0).reset();
    REQUIRE(scene.pool->release_completed({}));
    CHECK(scene.replay->counters().resources == 2);
    CHECK(scene.pool->figures().buckets[kLargeImages].suballocations.suballocation_count == 2);
    shared->at(1).reset();
    REQUIRE(scene.pool->release_completed({}));
    CHECK(scene.pool->figures().buckets[kLargeImages].suballocations.suballocation_count == 1);
    check_sound(*scene.pool);
}

TEST_CASE("aliasing is refused where it cannot be meant") {
    const PoolScene scene;
    const std::vector<model::ResourceDescription> one = {sampled_image(64, 64)};
    CHECK(scene.pool->allocate_aliasing(one, MemoryUse::kDeviceOnly).error().code == ErrorCode::kInvalidArgument);
    const std::vector<model::ResourceDescription> mixed = {sampled_image(64, 64), buffer_of(4096)};
    CHECK(scene.pool->allocate_aliasing(mixed, MemoryUse::kDeviceOnly).error().code == ErrorCode::kInvalidArgument);
    CHECK(scene.pool->figures().device_allocations == 0);
}

TEST_CASE("a failure in the middle of aliasing keeps nothing") {
    const PoolScene scene(pool_policy(), {.fail_at = 2, .only = replay::SeamCall::kCreatePlaced});
    CHECK_FALSE(scene.pool->allocate_aliasing(two_targets(), MemoryUse::kDeviceOnly));
    CHECK(scene.faulty->counters().resources == 0);
    CHECK(scene.pool->figures().buckets[kLargeImages].suballocations.suballocation_count == 0);
    check_sound(*scene.pool);
    CHECK(scene.pool->allocate_aliasing(two_targets(), MemoryUse::kDeviceOnly));
}
