// Budgets and limits, what goes back, and what is tried before an error.
#include "memory_in_front.hpp"
#include "pool_scene.hpp"

using namespace heapwright;
using namespace heapwright::test;
using model::MemoryUse;
using model::ResourceClass;

namespace {

bool says(const Error& error, std::string_view text) {
    return to_string(error).find(text) != std::string::npos;
}

// The only chunk of the policy's buffers: `usable` bytes of heap 0 and nothing in the other types.
model::DevicePolicy tight_policy(std::uint64_t usable) {
    model::DevicePolicy policy = pool_policy();
    policy.heaps[0].usable_bytes.value = usable;
    policy.memory_uses[0].memory_types.value = {0};
    return policy;
}

// Heap 0's budget is the test's.
class BudgetOfTheMoment final : public MemoryInFront {
public:
    using MemoryInFront::MemoryInFront;
    model::HeapBudget heap_0{.budget_bytes = 64 * kMib};

private:
    Result<std::vector<model::HeapBudget>> budgets() override {
        HEAPWRIGHT_ASSIGN(auto all, MemoryInFront::budgets());
        all[0] = heap_0;
        return all;
    }
};

}  // namespace

TEST_CASE("a workload at the edge of a chunk does not take and free it every other frame") {
    const PoolScene scene;
    const auto base = scene.buffer_memory(4 * kMib);
    const auto rest = scene.buffer_memory(4 * kMib);
    REQUIRE(base);
    REQUIRE(rest);
    const std::uint64_t calls_before = scene.pool->figures().device_allocation_calls;
    for (int frame = 0; frame < 100; ++frame) {
        const auto more = scene.buffer_memory(1 * kMib);
        REQUIRE(more);
        scene.free(*more);
    }
    CHECK(scene.pool->figures().device_allocation_calls == calls_before + 1);
    CHECK(scene.pool->figures().buckets[kBuffers].empty_chunks == 1);
    check_sound(*scene.pool);
}

TEST_CASE("frames that take more and less in turn do not take and free chunks in turn") {
    const PoolScene scene;
    std::uint64_t calls = 0;
    for (int frame = 0; frame < 100; ++frame) {
        // Four chunks in every tenth frame, one in the others.
        std::vector<pool::Placement> live;
        for (int i = 0; i < (frame % 10 == 0 ? 7 : 1); ++i) live.push_back(scene.buffer_memory(4 * kMib).value());
        for (const pool::Placement& one : live) scene.pool->release(one, {});
        REQUIRE(scene.pool->release_completed({}));
        if (frame == 0) calls = scene.pool->figures().device_allocation_calls;
    }
    CHECK(calls == 4);
    CHECK(scene.pool->figures().device_allocation_calls == calls);
    for (int frame = 0; frame < 20; ++frame) REQUIRE(scene.pool->release_completed({}));
    CHECK(scene.chunks(kBuffers) == 1);
    check_sound(*scene.pool);
}

TEST_CASE("the last empty chunk goes back after its age, others after an eighth of it") {
    const PoolScene scene(pool_policy(), {}, {.empty_chunk_age = 16});
    const auto first = scene.buffer_memory(4 * kMib);
    const auto second = scene.buffer_memory(4 * kMib);
    const auto third = scene.buffer_memory(4 * kMib);
    REQUIRE(third);
    CHECK(scene.chunks(kBuffers) == 2);
    scene.free(*third);
    CHECK(scene.chunks(kBuffers) == 2);
    scene.pool->release(*first, {});
    scene.free(*second);
    CHECK(scene.chunks(kBuffers) == 2);
    REQUIRE(scene.pool->release_completed({}));
    CHECK(scene.chunks(kBuffers) == 1);
    for (int frame = 0; frame < 10; ++frame) REQUIRE(scene.pool->release_completed({}));
    CHECK(scene.chunks(kBuffers) == 1);
    for (int frame = 0; frame < 10; ++frame) REQUIRE(scene.pool->release_completed({}));
    CHECK(scene.chunks(kBuffers) == 0);
    CHECK(scene.replay->counters().source_allocations == 0);
    check_sound(*scene.pool);
}

TEST_CASE("an empty chunk beyond its share of the heap goes back with the next frame that does not need it") {
    const PoolScene scene(pool_policy(), {}, {.kept_empty_share = 0.01});
    for (int frame = 0; frame < 10; ++frame) {
        const auto placement = scene.buffer_memory(kMib);
        REQUIRE(placement);
        scene.free(*placement);
        CHECK(scene.chunks(kBuffers) == 1);
    }
    CHECK(scene.pool->figures().device_allocation_calls == 1);
    REQUIRE(scene.pool->release_completed({}));
    CHECK(scene.chunks(kBuffers) == 0);
}

TEST_CASE("without a share for empty chunks each goes back at once") {
    const PoolScene scene(pool_policy(), {}, {.kept_empty_share = 0});
    const auto placement = scene.buffer_memory(kMib);
    REQUIRE(placement);
    scene.free(*placement);
    CHECK(scene.chunks(kBuffers) == 0);
}

TEST_CASE("what the buckets of one heap keep empty stays within the heap's share together") {
    // Three buckets of 8 MiB chunks; their heap of 256 MiB keeps a sixteenth, two chunks.
    const PoolScene scene(pool_policy(), {}, {.kept_empty_share = 1.0 / 16, .empty_chunk_age = 10});
    const auto buffer = scene.buffer_memory(kMib);
    const auto small = scene.pool->allocate(needs(kMib, 1024), ResourceClass::kOptimal, MemoryUse::kDeviceOnly);
    const auto large = scene.pool->allocate(needs(kMib, 65536), ResourceClass::kOptimal, MemoryUse::kDeviceOnly);
    REQUIRE(large);
    scene.free(*buffer);
    scene.free(*small);
    scene.free(*large);
    const auto two_frames = [&] {
        for (int frame = 0; frame < 2; ++frame) REQUIRE(scene.pool->release_completed({}));
    };
    two_frames();
    CHECK(scene.chunks(kBuffers) == 1);
    CHECK(scene.chunks(kSmallImages) == 1);
    CHECK(scene.chunks(kLargeImages) == 0);
    // A chunk that is used again leaves its part to the next.
    const auto again = scene.buffer_memory(kMib);
    const auto third = scene.pool->allocate(needs(kMib, 65536), ResourceClass::kOptimal, MemoryUse::kDeviceOnly);
    REQUIRE(third);
    scene.free(*third);
    two_frames();
    CHECK(scene.chunks(kLargeImages) == 1);
    scene.free(*again);
    two_frames();
    CHECK(scene.chunks(kBuffers) == 0);
    // So does one that went back.
    for (int frame = 0; frame < 20; ++frame) REQUIRE(scene.pool->release_completed({}));
    CHECK(scene.replay->counters().source_allocations == 0);
    const auto last = scene.buffer_memory(kMib);
    scene.free(*last);
    CHECK(scene.chunks(kBuffers) == 1);
    check_sound(*scene.pool);
}

TEST_CASE("trim gives every empty chunk back and says how much that was") {
    const PoolScene scene;
    const auto buffer = scene.buffer_memory(kMib);
    const auto upload = scene.pool->allocate(needs(kMib), ResourceClass::kLinear, MemoryUse::kUpload);
    const auto kept = scene.pool->allocate(needs(kMib), ResourceClass::kOptimal, MemoryUse::kDeviceOnly);
    REQUIRE(kept);
    scene.free(*buffer);
    scene.free(*upload);
    CHECK(scene.pool->trim() == 8 * kMib + 4 * kMib);
    CHECK(scene.pool->trim() == 0);
    CHECK(scene.replay->counters().source_allocations == 1);
    check_sound(*scene.pool);
}

TEST_CASE("a heap's usable bytes, the memory limit, and the number of allocations hold") {
    SECTION("usable bytes") {
        const PoolScene scene(tight_policy(16 * kMib));
        for (int i = 0; i < 4; ++i) REQUIRE(scene.buffer_memory(4 * kMib));
        const auto over = scene.buffer_memory(4 * kMib);
        REQUIRE_FALSE(over);
        CHECK(over.error().code == ErrorCode::kOutOfDeviceMemory);
        CHECK(says(over.error(), "16777216 of 16777216 bytes reserved"));
        CHECK(scene.pool->figures().heaps[0].reserved_bytes == 16 * kMib);
        check_sound(*scene.pool);
    }
    SECTION("memory limit over all heaps") {
        const PoolScene scene(pool_policy(), {}, {.memory_limit_bytes = 12 * kMib});
        REQUIRE(scene.buffer_memory(4 * kMib));
        REQUIRE(scene.pool->allocate(needs(4 * kMib), ResourceClass::kLinear, MemoryUse::kUpload));
        const auto over = scene.pool->allocate(needs(4 * kMib), ResourceClass::kLinear, MemoryUse::kReadback);
        REQUIRE_FALSE(over);
        CHECK(says(over.error(), "memory limit of 12582912"));
        check_sound(*scene.pool);
    }
    SECTION("number of device allocations, dedicated ones included") {
        model::DevicePolicy policy = pool_policy();
        policy.max_chunks.value = 2;
        const PoolScene scene(policy);
        REQUIRE(scene.buffer_memory(4 * kMib));
        const auto dedicated = scene.pool->allocate_dedicated(buffer_of(kMib), MemoryUse::kDeviceOnly);
        REQUIRE(dedicated);
        REQUIRE(scene.buffer_memory(4 * kMib));
        const auto over = scene.buffer_memory(4 * kMib);
        REQUIRE_FALSE(over);
        CHECK(says(over.error(), "number of device allocations"));
        CHECK(scene.pool->figures().device_allocations == 2);
        check_sound(*scene.pool);
    }
    SECTION("the device's budget of the moment, less what is left to others") {
        model::DeviceReport report = small_report();
        report.run.heap_budgets[0].budget_bytes = 20 * kMib;
        const PoolScene whole(tight_policy(256 * kMib), {}, {}, report);
        for (int i = 0; i < 4; ++i) REQUIRE(whole.buffer_memory(4 * kMib));
        CHECK(whole.pool->figures().heaps[0].reserved_bytes == 16 * kMib);
        const PoolScene reserved(tight_policy(256 * kMib), {}, {.budget_reserve_share = 0.5}, report);
        for (int i = 0; i < 2; ++i) REQUIRE(reserved.buffer_memory(4 * kMib));
        const auto over = reserved.buffer_memory(4 * kMib);
        REQUIRE_FALSE(over);
        CHECK(says(over.error(), "left to others"));
        check_sound(*reserved.pool);
        model::DevicePolicy with_share = tight_policy(256 * kMib);
        with_share.heaps[0].reserve_share = model::Decided<double>{.value = 0.5};
        const PoolScene by_policy(with_share, {}, {}, report);
        for (int i = 0; i < 2; ++i) REQUIRE(by_policy.buffer_memory(4 * kMib));
        REQUIRE_FALSE(by_policy.buffer_memory(4 * kMib));
    }
}

TEST_CASE("a budget of the moment above its heap counts as the heap's size, one of 0 forbids nothing") {
    const auto replay = replay::open_replay(small_report(), {.interpolate = true});
    BudgetOfTheMoment device(**replay);
    constexpr std::uint64_t kMost = ~std::uint64_t{0};
    const std::uint64_t size = device.facts().heaps[0].size_bytes;
    const auto pool = pool::MemoryPool::create(device, tight_policy(256 * kMib), {.budget_reserve_share = 0.5});
    REQUIRE(pool);
    const auto take = [&] {
        return (*pool)->allocate(needs(4 * kMib), ResourceClass::kLinear, MemoryUse::kDeviceOnly);
    };
    for (const std::uint64_t budget : {size + 1, kMost - 4095, kMost}) {
        device.heap_0 = {.budget_bytes = budget, .usage_bytes = size / 2};
        const auto over = take();
        REQUIRE_FALSE(over);
        CHECK(says(over.error(), "left to others"));
        device.heap_0.usage_bytes = size / 2 - 8 * kMib;
        CHECK(take());  // a chunk of 8 MiB,
        CHECK(take());  // and the rest of it
    }
    device.heap_0 = {.budget_bytes = 0, .usage_bytes = size};
    CHECK(take());
    check_sound(**pool);
}

TEST_CASE("when others take so much that the budget is exceeded, what the pool keeps empty goes back unasked") {
    const auto replay = replay::open_replay(small_report(), {.interpolate = true});
    BudgetOfTheMoment device(**replay);
    const auto pool = pool::MemoryPool::create(device, pool_policy(), {.budget_reserve_share = 0.25});
    REQUIRE(pool);
    const auto buffer = (*pool)->allocate(needs(kMib), ResourceClass::kLinear, MemoryUse::kDeviceOnly);
    const auto upload = (*pool)->allocate(needs(kMib), ResourceClass::kLinear, MemoryUse::kUpload);
    const auto image = (*pool)->allocate(needs(kMib), ResourceClass::kOptimal, MemoryUse::kDeviceOnly);
    REQUIRE(image);
    (*pool)->release(*buffer, {});
    (*pool)->release(*upload, {});
    const auto collect = [&](int frames) {
        for (int frame = 0; frame < frames; ++frame) REQUIRE((*pool)->release_completed({}));
    };
    const auto chunks = [&](PoolBucket bucket) { return (*pool)->figures().buckets[bucket].chunks; };
    device.heap_0 = {.budget_bytes = 64 * kMib, .usage_bytes = 48 * kMib};
    collect(40);
    CHECK(chunks(kBuffers) == 1);
    device.heap_0.usage_bytes += 1;
    collect(40);
    CHECK(chunks(kBuffers) == 0);
    CHECK(chunks(kUploads) == 1);
    CHECK(chunks(kSmallImages) == 1);
    check_sound(**pool);
}

TEST_CASE("a humongous request is refused with the threshold and the interface for it, which then serves it") {
    const PoolScene scene;
    const auto refused = scene.pool->create(buffer_of(16 * kMib), MemoryUse::kDeviceOnly);
    REQUIRE_FALSE(refused);
    CHECK(refused.error().code == ErrorCode::kRefused);
    CHECK(says(refused.error(), "allocate_dedicated"));
    CHECK(refused.error().value == std::optional<std::uint64_t>(16 * kMib));
    CHECK(refused.error().limit == std::optional<std::uint64_t>(4 * kMib));
    const auto resource = scene.pool->allocate_dedicated(buffer_of(16 * kMib), MemoryUse::kDeviceOnly);
    REQUIRE(resource);
    CHECK(resource->is_dedicated());
    CHECK(scene.pool->figures().heaps[0].dedicated_bytes == 16 * kMib);
    check_sound(*scene.pool);
}

TEST_CASE("a bucket's dedicated threshold gives an allocation of its own, and a chunk where there is no room for one") {
    model::DevicePolicy policy = pool_policy();
    policy.buckets[kBuffers].dedicated_threshold_bytes = chosen<std::uint64_t>(64 * kKib);
    policy.max_chunks.value = 3;
    const PoolScene scene(policy);
    const auto small = scene.pool->create(buffer_of(64 * kKib), MemoryUse::kDeviceOnly);
    const auto large = scene.pool->create(buffer_of(kMib), MemoryUse::kDeviceOnly);
    const auto larger = scene.pool->create(buffer_of(kMib), MemoryUse::kDeviceOnly);
    REQUIRE(larger);
    CHECK_FALSE(small->is_dedicated());
    CHECK(large->is_dedicated());
    CHECK(larger->is_dedicated());
    const auto crowded = scene.pool->create(buffer_of(kMib), MemoryUse::kDeviceOnly);
    REQUIRE(crowded);
    CHECK_FALSE(crowded->is_dedicated());
    check_sound(*scene.pool);
}

TEST_CASE("under pressure: empty chunks go back, then smaller chunks, a larger alignment, the next type, an error") {
    SECTION("trim") {
        model::DevicePolicy policy = tight_policy(16 * kMib);
        const PoolScene scene(policy, {}, {.kept_empty_share = 1.0});
        const auto image = scene.pool->allocate(needs(kMib, 1024), ResourceClass::kOptimal, MemoryUse::kDeviceOnly);
        REQUIRE(image);
        scene.free(*image);
        CHECK(scene.chunks(kSmallImages) == 1);
        for (int i = 0; i < 4; ++i) REQUIRE(scene.buffer_memory(4 * kMib));
        CHECK(scene.chunks(kSmallImages) == 0);
        CHECK(scene.chunks(kBuffers) == 2);
        check_sound(*scene.pool);
    }
    SECTION("smaller chunks") {
        const PoolScene scene(tight_policy(11 * kMib));
        REQUIRE(scene.buffer_memory(4 * kMib));
        REQUIRE(scene.buffer_memory(4 * kMib));
        const auto squeezed = scene.buffer_memory(kMib);
        REQUIRE(squeezed);
        CHECK(scene.pool->figures().buckets[kBuffers].reserved_bytes == 10 * kMib);
        check_sound(*scene.pool);
    }
    SECTION("a chunk of the request's own size, where no usual part of a chunk is left") {
        for (const std::uint64_t request : {3 * kMib, 64 * kKib}) {
            const PoolScene scene(tight_policy(16 * kMib + request));
            for (int i = 0; i < 4; ++i) REQUIRE(scene.buffer_memory(4 * kMib));
            REQUIRE(scene.buffer_memory(request));
            CHECK(scene.pool->figures().buckets[kBuffers].reserved_bytes == 16 * kMib + request);
            CHECK_FALSE(scene.buffer_memory(16));
            check_sound(*scene.pool);
        }
    }
    SECTION("a bucket of a larger alignment") {
        const PoolScene scene(tight_policy(16 * kMib));
        REQUIRE(scene.pool->allocate(needs(kMib, 65536), ResourceClass::kOptimal, MemoryUse::kDeviceOnly));
        REQUIRE(scene.buffer_memory(4 * kMib));
        const auto guest = scene.pool->allocate(needs(kMib, 1024), ResourceClass::kOptimal, MemoryUse::kDeviceOnly);
        REQUIRE(guest);
        CHECK(guest->bucket == kLargeImages);
        check_sound(*scene.pool);
    }
    SECTION("the next memory type, then an error with the figures of each") {
        model::DevicePolicy policy = pool_policy();
        policy.heaps[0].usable_bytes.value = 4 * kMib;
        policy.heaps[1].usable_bytes.value = 4 * kMib;
        const PoolScene scene(policy);
        const auto best = scene.pool->allocate(needs(4 * kMib), ResourceClass::kLinear, MemoryUse::kStreaming);
        REQUIRE(best);
        CHECK(best->bucket == kBarBuffers);
        const auto next = scene.pool->allocate(needs(4 * kMib), ResourceClass::kLinear, MemoryUse::kStreaming);
        REQUIRE(next);
        CHECK(next->bucket == kUploads);
        const auto over = scene.pool->allocate(needs(4 * kMib), ResourceClass::kLinear, MemoryUse::kStreaming);
        REQUIRE_FALSE(over);
        CHECK(over.error().code == ErrorCode::kOutOfDeviceMemory);
        CHECK(says(over.error(), "[type 2 in heap 0, 4194304 of 4194304 bytes reserved"));
        CHECK(says(over.error(), "[type 1 in heap 1, 4194304 of 4194304 bytes reserved"));
        CHECK(over.error().value == std::optional<std::uint64_t>(4 * kMib));
        check_sound(*scene.pool);
    }
}

TEST_CASE("a failed request leaves the pool as it was") {
    const PoolScene scene(tight_policy(16 * kMib));
    std::vector<pool::Placement> live;
    for (int i = 0; i < 16; ++i) live.push_back(scene.buffer_memory(kMib).value());
    const auto before = scene.pool->figures();
    REQUIRE_FALSE(scene.buffer_memory(kMib));
    REQUIRE_FALSE(scene.pool->allocate_dedicated(buffer_of(kMib), MemoryUse::kDeviceOnly));
    const auto after = scene.pool->figures();
    CHECK(after.device_allocations == before.device_allocations);
    CHECK(after.device_allocation_calls == before.device_allocation_calls);
    CHECK(after.heaps[0].reserved_bytes == before.heaps[0].reserved_bytes);
    CHECK(after.buckets[kBuffers].suballocations == before.buckets[kBuffers].suballocations);
    scene.free(live.front());
    CHECK(scene.buffer_memory(kMib));
    check_sound(*scene.pool);
}

TEST_CASE("the ranked types are followed on unified memory, a small and a resizable BAR heap") {
    // One heap that is both, with one type that is both: everything shares it.
    model::DeviceReport unified = small_report();
    unified.memory_types = {unified.memory_types[2]};
    model::DevicePolicy one_type = pool_policy();
    for (auto& use : one_type.memory_uses) use.memory_types.value = {0};
    one_type.buckets = {pool_bucket("linear/256/0", ResourceClass::kLinear, 256, 0, 4 * kMib)};
    {
        const PoolScene scene(one_type, {}, {}, unified);
        for (const auto use :
             {MemoryUse::kDeviceOnly, MemoryUse::kUpload, MemoryUse::kReadback, MemoryUse::kStreaming}) {
            const auto placement = scene.pool->allocate(needs(kKib, 16, 1), ResourceClass::kLinear, use);
            REQUIRE(placement);
            CHECK(placement->memory_type.value == 0);
        }
        CHECK(scene.chunks(0) == 1);
    }
    // A BAR heap of its own, small: what is streamed fills it, then goes to the host's type.
    model::DeviceReport small_bar = small_report();
    small_bar.heaps.push_back({.size_bytes = 8 * kMib, .flags = model::memory_heap::kDeviceLocal});
    small_bar.run.heap_budgets.push_back({.budget_bytes = 8 * kMib});
    small_bar.memory_types[2].heap_index = 2;
    model::DevicePolicy with_bar = pool_policy();
    with_bar.heaps.push_back({.heap = 2, .usable_bytes = chosen<std::uint64_t>(8 * kMib)});
    {
        const PoolScene scene(with_bar, {}, {}, small_bar);
        std::vector<std::uint32_t> types;
        for (int i = 0; i < 4; ++i) {
            types.push_back(scene.pool->allocate(needs(4 * kMib), ResourceClass::kLinear, MemoryUse::kStreaming)
                                ->memory_type.value);
        }
        CHECK(types == std::vector<std::uint32_t>{2, 2, 1, 1});
        CHECK(scene.pool->figures().heaps[2].reserved_bytes == 8 * kMib);
    }
    // Resizable: the whole of device memory is host visible, so that nothing falls back.
    {
        const PoolScene scene;
        for (int i = 0; i < 8; ++i) {
            CHECK(scene.pool->allocate(needs(4 * kMib), ResourceClass::kLinear, MemoryUse::kStreaming)
                      ->memory_type.value == 2);
        }
    }
}
