// Fail the Nth device call of a small life of a pool, for every N: nothing leaks, nothing is lost, and it goes on.
#include "pool_scene.hpp"

using namespace heapwright;
using namespace heapwright::test;
using model::MemoryUse;

namespace {

struct Life {
    std::vector<pool::Resource> resources;
    std::uint64_t failures = 0;

    void keep(Result<pool::Resource> made) {
        if (made) {
            resources.push_back(std::move(*made));
        } else {
            ++failures;
        }
    }
};

// A little of everything; a failed request is counted and the life goes on.
void live(pool::MemoryPool& pool, Life& life) {
    const std::vector<model::ResourceDescription> aliases = {sampled_image(64, 64), sampled_image(16, 16)};
    for (std::uint64_t frame = 1; frame <= 4; ++frame) {
        pool.begin_recording(TimelineValue{frame});
        life.keep(pool.create(sampled_image(64, 64), MemoryUse::kDeviceOnly));
        life.keep(pool.create(sampled_image(256, 256), MemoryUse::kDeviceOnly));
        life.keep(pool.create(buffer_of(65536), MemoryUse::kUpload));
        life.keep(pool.create(buffer_of(kMib), MemoryUse::kStreaming));
        life.keep(pool.allocate_dedicated(buffer_of(kMib), MemoryUse::kDeviceOnly));
        if (auto shared = pool.allocate_aliasing(aliases, MemoryUse::kDeviceOnly)) {
            for (pool::Resource& one : *shared) life.resources.push_back(std::move(one));
        } else {
            ++life.failures;
        }
        if (!life.resources.empty()) {
            const auto mapped = pool.map(life.resources.back());
            if (!mapped && mapped.error().code == ErrorCode::kInvariantBroken) FAIL(to_string(mapped.error()));
        }
        if (frame % 2 == 0 && life.resources.size() >= 2)
            life.resources.erase(life.resources.begin(), life.resources.begin() + 2);
        REQUIRE(pool.release_completed(TimelineValue{frame - 1}));
        check_sound(pool);
    }
}

void expect_sound_life(const replay::FaultPlan& plan) {
    PoolScene scene(pool_policy(), plan);
    Life life;
    live(*scene.pool, life);
    const auto counters = scene.faulty->counters();
    CHECK(counters.resources == life.resources.size() + scene.pool->figures().pending_releases);
    CHECK(counters.allocations == scene.pool->figures().device_allocations);

    // It works afterwards as if nothing had happened.
    if (!plan.keep_failing) {
        Life after;
        live(*scene.pool, after);
        CHECK(after.failures == 0);
    }
    life.resources.clear();
    REQUIRE(scene.pool->release_completed(TimelineValue{100}));
    check_sound(*scene.pool);
    scene.pool.reset();
    CHECK(scene.faulty->counters().nothing_alive());
    CHECK(scene.replay->take_validation_messages().empty());
}

}  // namespace

TEST_CASE("whatever single call fails, nothing leaks, the books agree, and the pool works afterwards") {
    for (const ErrorCode code : {ErrorCode::kOutOfDeviceMemory, ErrorCode::kDriverFailure}) {
        std::uint64_t nth = 1;
        for (;; ++nth) {
            CAPTURE(nth, static_cast<int>(code));
            const replay::FaultPlan plan{.fail_at = nth, .code = code};
            PoolScene probe(pool_policy(), plan);
            Life life;
            live(*probe.pool, life);
            const bool injected = probe.faulty->counters().injected != 0;
            life.resources.clear();
            if (!injected) break;
            expect_sound_life(plan);
        }
        CHECK(nth > 60);
    }
}

TEST_CASE("whatever call all calls fail from, nothing leaks and the books agree") {
    for (std::uint64_t nth = 1; nth <= 60; ++nth) {
        CAPTURE(nth);
        expect_sound_life({.fail_at = nth, .keep_failing = true});
    }
}

TEST_CASE("a device that runs out of memory is met by smaller chunks") {
    const PoolScene scene(pool_policy(), {.oom_after_bytes = 10 * kMib});
    REQUIRE(scene.buffer_memory(4 * kMib));
    REQUIRE(scene.buffer_memory(4 * kMib));
    const auto squeezed = scene.buffer_memory(kMib);
    REQUIRE(squeezed);
    CHECK(scene.faulty->counters().allocated_bytes <= 10 * kMib);
    CHECK_FALSE(scene.buffer_memory(4 * kMib));
    check_sound(*scene.pool);
}

TEST_CASE("a lost device is an error at once, not a search for other memory") {
    const PoolScene scene(pool_policy(),
                          {.fail_at = 1, .only = replay::SeamCall::kAllocate, .code = ErrorCode::kDeviceLost});
    const auto lost = scene.buffer_memory(kMib);
    REQUIRE_FALSE(lost);
    CHECK(lost.error().code == ErrorCode::kDeviceLost);
    check_sound(*scene.pool);
}
