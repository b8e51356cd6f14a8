// Every kind of suballocator that a policy can name, as the space of a chunk and inside a pool.
#include "pool_scene.hpp"

#include "core/random.hpp"
#include "pool/chunk_set.hpp"

using namespace heapwright;
using namespace heapwright::test;
using model::SuballocatorKind;
using pool::ChunkSpace;
using suballoc::FreeOutcome;

namespace {

constexpr std::array kKinds = {SuballocatorKind::kTlsf, SuballocatorKind::kFixedBlocks, SuballocatorKind::kSlots,
                               SuballocatorKind::kLinear, SuballocatorKind::kRing};

ChunkSpace space_of(SuballocatorKind kind) {
    auto space = ChunkSpace::create(
        {.kind = kind, .capacity_bytes = 64 * kKib, .granule_bytes = 4 * kKib, .alignment_bytes = 4 * kKib});
    REQUIRE(space);
    return std::move(*space);
}

}  // namespace

TEST_CASE("every kind fills its chunk, keeps to the granule, and is whole again when empty") {
    for (const SuballocatorKind kind : kKinds) {
        CAPTURE(static_cast<int>(kind));
        ChunkSpace space = space_of(kind);
        std::vector<suballoc::Suballocation> live;
        while (auto range = space.allocate(3000, 16)) {
            CHECK(range->offset % (4 * kKib) == 0);
            CHECK(range->size == 4 * kKib);
            live.push_back(*range);
        }
        CHECK(live.size() == 16);
        CHECK(space.live_count() == 16);
        CHECK(space.free_bytes() == 0);
        REQUIRE(space.validate_invariants());
        space.end_frame();
        for (const auto& range : live) CHECK(space.free(range.handle) != FreeOutcome::kInvalidHandle);
        CHECK(space.is_empty());
        CHECK(space.free_bytes() == 64 * kKib);
        CHECK(space.free(live.front().handle) == FreeOutcome::kInvalidHandle);
        REQUIRE(space.validate_invariants());
        CHECK(space.allocate(3000, 16));
    }
}

TEST_CASE("a ring's space comes back frame by frame, the oldest first") {
    ChunkSpace space = space_of(SuballocatorKind::kRing);
    const auto first = space.allocate(32 * kKib, 1);
    space.end_frame();
    const auto second = space.allocate(16 * kKib, 1);
    space.end_frame();
    const auto third = space.allocate(16 * kKib, 1);
    REQUIRE(third);
    CHECK(space.free(second->handle) == FreeOutcome::kDeferred);
    CHECK(space.free_bytes() == 0);
    CHECK(space.free(second->handle) == FreeOutcome::kInvalidHandle);
    CHECK(space.free(first->handle) == FreeOutcome::kDeferred);
    CHECK(space.free_bytes() == 48 * kKib);
    REQUIRE(space.validate_invariants());
    CHECK(space.allocate(48 * kKib, 1));
}

TEST_CASE("slots refuse what they cannot hold, and the pool goes on to a bucket that can") {
    model::DevicePolicy policy = pool_policy();
    policy.buckets.push_back(policy.buckets[kBuffers]);
    policy.buckets[kBuffers].suballocator.value = SuballocatorKind::kSlots;
    policy.buckets[kBuffers].granule_bytes.value = 4 * kKib;
    const PoolScene scene(policy);
    CHECK(scene.buffer_memory(4 * kKib)->bucket == kBuffers);
    CHECK(scene.buffer_memory(4 * kKib + 1)->bucket == policy.buckets.size() - 1);
    check_sound(*scene.pool);
}

TEST_CASE("a pool works with every kind: random life of placements, all given back") {
    for (const SuballocatorKind kind : kKinds) {
        CAPTURE(static_cast<int>(kind));
        model::DevicePolicy policy = pool_policy();
        policy.buckets[kBuffers].suballocator.value = kind;
        policy.buckets[kBuffers].granule_bytes.value = 4 * kKib;
        const PoolScene scene(policy, {}, {.empty_chunk_age = 4});
        Random random(11);
        std::vector<pool::Placement> live;
        for (std::uint64_t step = 1; step <= 2000; ++step) {
            if (live.size() < 100 || random.below(2) == 0) {
                const auto made = scene.buffer_memory(random.between(1, 4 * kKib));
                REQUIRE(made);
                live.push_back(*made);
            } else {
                std::swap(live[random.below(live.size())], live.back());
                scene.pool->release(live.back(), TimelineValue{step});
                live.pop_back();
            }
            if (step % 10 == 0) REQUIRE(scene.pool->release_completed(TimelineValue{step - 5}));
            if (step % 100 == 0) check_sound(*scene.pool);
        }
        for (const auto& placement : live) scene.pool->release(placement, TimelineValue{3000});
        for (int frame = 0; frame < 10; ++frame) REQUIRE(scene.pool->release_completed(TimelineValue{3000}));
        CHECK(scene.replay->counters().source_allocations == 0);
        check_sound(*scene.pool);
    }
}
