// Chunks allocated in the background, ahead of need.
#include "memory_in_front.hpp"
#include "pool_scene.hpp"

#include <atomic>
#include <chrono>
#include <cstddef>
#include <deque>
#include <thread>

#include "core/random.hpp"
#include "heapwright/device/background_processor.hpp"

using namespace heapwright;
using namespace heapwright::test;
using model::MemoryUse;
using model::ResourceClass;

namespace {

// A background that runs when the test says so.
class HeldQueue {
public:
    bool submit(device::WorkItem item) {
        if (refuses) {
            item.cancel();
            return false;
        }
        items_.push_back(std::move(item));
        return true;
    }
    void run() {
        while (!items_.empty()) run_one();
    }
    void run_one() {
        const device::WorkItem item = std::move(items_.front());
        items_.pop_front();
        item.callback();
    }
    void cancel() {
        for (const device::WorkItem& item : std::exchange(items_, {})) item.cancel();
    }
    [[nodiscard]] std::size_t size() const { return items_.size(); }

    bool refuses = false;

private:
    std::deque<device::WorkItem> items_;
};

model::DevicePolicy policy_ahead(std::uint64_t chunks, PoolBucket bucket = kBuffers) {
    model::DevicePolicy policy = pool_policy();
    policy.buckets[bucket].chunks_ahead = chosen(chunks);
    return policy;
}

struct BackgroundScene {
    explicit BackgroundScene(const model::DevicePolicy& policy = policy_ahead(1), pool::PoolOptions options = {},
                             const replay::FaultPlan& plan = {})
        : scene(policy, plan, with_queue(std::move(options))) {}

    pool::PoolOptions with_queue(pool::PoolOptions options) {
        options.background = [this](device::WorkItem item) { return queue.submit(std::move(item)); };
        return options;
    }
    [[nodiscard]] std::uint64_t allocations() const { return scene.faulty->counters().source_allocations; }
    [[nodiscard]] pool::PreparationFigures figures() const { return scene.pool->figures().preparation; }
    [[nodiscard]] pool::BucketFigures buffers() const { return scene.pool->figures().buckets[kBuffers]; }
    void end_frames(std::uint64_t count) const {
        for (std::uint64_t i = 0; i < count; ++i) REQUIRE(scene.pool->release_completed({}));
    }

    HeldQueue queue;
    PoolScene scene;
};

}  // namespace

TEST_CASE("a request takes a ready chunk without a call of the device, and the next is asked for") {
    BackgroundScene one;
    CHECK(one.queue.size() == 1);  // asked for when the pool was made
    one.queue.run();
    CHECK(one.allocations() == 1);
    CHECK(one.buffers().ready_chunks == 1);
    CHECK(one.buffers().reserved_bytes == 8 * kMib);

    const auto first = one.scene.buffer_memory(kMib);
    REQUIRE(first);
    CHECK(one.allocations() == 1);
    CHECK(one.buffers().ready_chunks == 0);
    CHECK(one.queue.size() == 1);
    check_sound(*one.scene.pool);

    // Nothing is asked for while there is room, and one item at a time while there is none.
    REQUIRE(one.scene.buffer_memory(kMib));
    CHECK(one.queue.size() == 1);
    one.queue.run();
    CHECK(one.allocations() == 2);
    CHECK(one.figures().prepared == 2);
    CHECK(one.figures().taken_ready == 1);
    CHECK(one.figures().taken_late == 0);
    check_sound(*one.scene.pool);
}

TEST_CASE("chunks that were prepared for each other stay, however long they wait") {
    // With the first ready chunk in use the growth takes a second of twice its size.
    model::DevicePolicy policy = policy_ahead(2);
    policy.buckets[kBuffers].growth =
        model::ChunkGrowth{.first_chunk_bytes = chosen(kMib), .divisor = chosen<std::uint64_t>(1)};
    BackgroundScene one(policy, {.empty_chunk_age = 4});
    REQUIRE(one.scene.buffer_memory(2 * kMib));
    one.queue.run();
    CHECK(one.buffers().ready_chunks == 2);
    CHECK(one.buffers().reserved_bytes == 2 * kMib + 2 * kMib + 4 * kMib);
    for (int frame = 0; frame < 100; ++frame) {
        one.end_frames(1);
        one.queue.run();
    }
    CHECK(one.figures().prepared == 2);
    CHECK(one.figures().given_back == 0);
    check_sound(*one.scene.pool);
}

TEST_CASE("a request that finds no ready chunk takes one itself") {
    BackgroundScene one;
    REQUIRE(one.scene.buffer_memory(kMib));
    CHECK(one.allocations() == 1);
    CHECK(one.figures().taken_late == 1);
    one.queue.run();
    CHECK(one.allocations() == 2);
    check_sound(*one.scene.pool);
}

TEST_CASE("without a queue, and in buckets that have none ahead, nothing is prepared") {
    const PoolScene alone(policy_ahead(3));
    REQUIRE(alone.buffer_memory(kMib));
    CHECK(alone.faulty->counters().source_allocations == 1);
    CHECK(alone.pool->figures().preparation.taken_late == 0);

    BackgroundScene other(policy_ahead(1, kUploads));
    other.queue.run();
    CHECK(other.allocations() == 1);
    CHECK(other.buffers().reserved_bytes == 0);
    BackgroundScene none(policy_ahead(0));
    CHECK(none.queue.size() == 0);
}

TEST_CASE("as many chunks as the policy says stand ready") {
    BackgroundScene one(policy_ahead(3));
    one.queue.run();
    CHECK(one.buffers().ready_chunks == 3);
    REQUIRE(one.scene.buffer_memory(kMib));
    one.queue.run();
    CHECK(one.buffers().ready_chunks == 3);
    CHECK(one.buffers().chunks == 4);
    check_sound(*one.scene.pool);
}

TEST_CASE("under pressure prepared chunks go back first, and none is prepared in a while after that") {
    // 256 MiB usable; the ready chunk is what is missing.
    BackgroundScene one(policy_ahead(1), {.memory_limit_bytes = 16 * kMib});
    one.queue.run();
    const auto image = one.scene.pool->create(sampled_image(256, 256), MemoryUse::kDeviceOnly);
    REQUIRE(image);  // a chunk of 8 MiB beside the ready one
    CHECK(one.buffers().ready_chunks == 1);
    REQUIRE(one.scene.pool->create(sampled_image(64, 64), MemoryUse::kDeviceOnly));
    CHECK(one.buffers().ready_chunks == 0);
    CHECK(one.figures().given_back == 1);
    CHECK(one.figures().failed == 0);

    one.end_frames(pool::ChunkReserve::kFirstPause - 1);
    one.queue.run();
    CHECK(one.figures().prepared == 1);
    check_sound(*one.scene.pool);
}

TEST_CASE("a dedicated allocation takes what prepared chunks hold") {
    BackgroundScene one(policy_ahead(1), {.memory_limit_bytes = 8 * kMib + kKib});
    one.queue.run();
    REQUIRE(one.scene.pool->allocate_dedicated(buffer_of(kMib), MemoryUse::kDeviceOnly));
    CHECK(one.figures().given_back == 1);
    check_sound(*one.scene.pool);
}

TEST_CASE("prepared chunks count towards the limit of device allocations") {
    model::DevicePolicy policy = policy_ahead(4);
    policy.max_chunks = chosen<std::uint64_t>(2);
    BackgroundScene one(policy);
    one.queue.run();
    CHECK(one.buffers().ready_chunks == 2);
    CHECK(one.figures().failed == 1);
    // An image needs one of the two.
    REQUIRE(one.scene.pool->create(sampled_image(64, 64), MemoryUse::kDeviceOnly));
    CHECK(one.scene.pool->figures().device_allocations == 1);
    check_sound(*one.scene.pool);
}

TEST_CASE("no memory in the background is nobody's error: it is counted, and asked for again after a while") {
    BackgroundScene one(policy_ahead(1), {}, {.oom_after_bytes = 4 * kMib});
    one.queue.run();
    CHECK(one.figures().failed == 1);
    CHECK(one.figures().prepared == 0);
    // The request itself is met by a smaller chunk, as without a background.
    REQUIRE(one.scene.buffer_memory(kMib));
    one.queue.run();
    CHECK(one.figures().failed == 1);
    std::uint64_t pause = pool::ChunkReserve::kFirstPause;
    for (std::uint64_t failures = 2; failures <= 4; ++failures) {
        one.end_frames(pause - 1);
        one.queue.run();
        CHECK(one.figures().failed == failures - 1);
        one.end_frames(1);
        one.queue.run();
        CHECK(one.figures().failed == failures);
        pause *= 2;
    }
    check_sound(*one.scene.pool);
}

TEST_CASE("prepared chunks are as large as growth makes the next one, and leave when the bucket has shrunk") {
    model::DevicePolicy policy = policy_ahead(1);
    policy.buckets[kBuffers].growth =
        model::ChunkGrowth{.first_chunk_bytes = chosen<std::uint64_t>(kMib), .divisor = chosen<std::uint64_t>(2)};
    BackgroundScene one(policy, {.kept_empty_share = 0, .empty_chunk_age = 4});
    std::vector<pool::Placement> live;
    std::vector<std::uint64_t> ready;
    for (int i = 0; i < 16; ++i) {
        one.queue.run();
        const auto figures = one.buffers();
        if (figures.ready_chunks == 1 && figures.chunks > live.size() / 8)
            ready.push_back((figures.reserved_bytes - figures.suballocations.capacity) / kMib);
        live.push_back(one.scene.buffer_memory(kMib).value());
    }
    one.queue.run();
    CHECK(std::ranges::is_sorted(ready));
    CHECK(ready.front() == 1);
    CHECK(one.buffers().reserved_bytes - one.buffers().suballocations.capacity == 8 * kMib);
    CHECK(one.figures().taken_late == 0);

    for (const pool::Placement& placement : live) one.scene.pool->release(placement, {});
    one.end_frames(1);
    one.queue.run();
    CHECK(one.buffers().ready_chunks == 1);
    CHECK(one.buffers().reserved_bytes == 8 * kMib);  // it may yet be needed
    one.end_frames(5);
    one.queue.run();
    CHECK(one.buffers().ready_chunks == 1);
    CHECK(one.buffers().reserved_bytes == kMib);
    CHECK(one.figures().given_back == 1);
    check_sound(*one.scene.pool);
}

TEST_CASE("a request larger than the ready chunks takes its own, and they stay") {
    model::DevicePolicy policy = policy_ahead(1);
    policy.buckets[kBuffers].growth =
        model::ChunkGrowth{.first_chunk_bytes = chosen<std::uint64_t>(kMib), .divisor = chosen<std::uint64_t>(8)};
    BackgroundScene one(policy);
    one.queue.run();
    REQUIRE(one.scene.buffer_memory(3 * kMib));
    CHECK(one.figures().taken_late == 1);
    CHECK(one.buffers().ready_chunks == 1);
    REQUIRE(one.scene.buffer_memory(kMib));
    CHECK(one.figures().taken_ready == 1);
    check_sound(*one.scene.pool);
}

TEST_CASE("a chunk that empties is given back in the background, and by the caller when there is none") {
    for (const bool refuses : {false, true}) {
        CAPTURE(refuses);
        BackgroundScene one(policy_ahead(1), {.kept_empty_share = 0});
        one.queue.run();
        const pool::Placement placement = one.scene.buffer_memory(kMib).value();
        one.queue.run();
        CHECK(one.allocations() == 2);
        one.queue.refuses = refuses;
        one.scene.free(placement);
        CHECK(one.allocations() == (refuses ? 1u : 2u));
        check_sound(*one.scene.pool);
        one.queue.run();
        CHECK(one.allocations() == 1);
        check_sound(*one.scene.pool);
    }
}

TEST_CASE("where background work is disabled every chunk is taken by the request that needs it") {
    BackgroundScene one(policy_ahead(2));
    one.queue.cancel();
    one.queue.refuses = true;
    REQUIRE(one.scene.buffer_memory(kMib));
    CHECK(one.figures().taken_late == 1);
    CHECK(one.allocations() == 1);
    // It goes on when it is allowed again.
    one.queue.refuses = false;
    one.end_frames(1);
    one.queue.run();
    CHECK(one.buffers().ready_chunks == 2);
    check_sound(*one.scene.pool);
}

TEST_CASE("trim() gives prepared chunks back, and what was under way is not kept either") {
    BackgroundScene one(policy_ahead(2));
    one.queue.run_one();
    CHECK(one.scene.pool->trim() == 8 * kMib);
    one.queue.run();
    CHECK(one.allocations() == 0);
    check_sound(*one.scene.pool);
}

TEST_CASE("work that is queued when the pool goes finds nothing to do") {
    HeldQueue queue;
    {
        const PoolScene scene(policy_ahead(2), {},
                              {.background = [&](device::WorkItem item) { return queue.submit(std::move(item)); }});
        queue.run_one();
        CHECK(queue.size() == 1);
    }
    queue.run();
    CHECK(queue.size() == 0);
}

namespace {

// Says that it is real, maps its memory to bytes of its own, and lets a test hold an allocation up.
class TouchedDevice final : public MemoryInFront {
public:
    using MemoryInFront::MemoryInFront;
    std::vector<std::byte> bytes = std::vector<std::byte>(4 * kMib, std::byte{0xAB});
    std::atomic<std::uint64_t> maps{0};
    std::atomic<bool> is_slow{false};
    std::atomic<bool> is_allocating{false};

    bool is_real() const override { return true; }

private:
    Result<device::AllocationId> allocate(const device::AllocationRequest& request) override {
        is_allocating = true;
        if (is_slow) std::this_thread::sleep_for(std::chrono::milliseconds(20));
        return MemoryInFront::allocate(request);
    }
    Result<std::span<std::byte>> map(device::AllocationId) override {
        ++maps;
        return std::span(bytes);
    }
};

}  // namespace

TEST_CASE("every page of a prepared host-visible chunk is written once, and nothing else of a device's memory") {
    const auto replay = replay::open_replay(small_report(), {.interpolate = true});
    TouchedDevice touched(**replay);
    HeldQueue queue;
    model::DevicePolicy policy = policy_ahead(1, kUploads);
    policy.buckets[kBuffers].chunks_ahead = chosen<std::uint64_t>(1);
    const auto pool = pool::MemoryPool::create(
        touched, policy, {.background = [&](device::WorkItem item) { return queue.submit(std::move(item)); }});
    REQUIRE(pool);
    queue.run();
    CHECK((*replay)->counters().source_allocations == 2);
    CHECK(touched.maps == 1);
    std::size_t written = 0;
    bool only_first_bytes = true;
    for (std::size_t at = 0; at < touched.bytes.size(); ++at) {
        if (touched.bytes[at] == std::byte{0xAB}) continue;
        ++written;
        only_first_bytes &= at % 4096 == 0;
    }
    CHECK(written == touched.bytes.size() / 4096);
    CHECK(only_first_bytes);
}

TEST_CASE("a pool that goes while a chunk is being prepared waits for it and leaves nothing behind") {
    for (int round = 0; round < 5; ++round) {
        const auto replay = replay::open_replay(small_report(), {.interpolate = true});
        TouchedDevice slow(**replay);
        slow.is_slow = true;
        device::BackgroundProcessor processor({.idle_priority = false});
        {
            const auto pool = pool::MemoryPool::create(
                slow, policy_ahead(2),
                {.background = [&](device::WorkItem item) { return processor.submit(std::move(item)); }});
            REQUIRE(pool);
            while (!slow.is_allocating) std::this_thread::yield();
        }
        CHECK((*replay)->counters().source_allocations == 0);
    }
}

TEST_CASE("a processor that goes first cancels what it did not run, and the pool goes on without it") {
    const auto replay = replay::open_replay(small_report(), {.interpolate = true});
    auto processor = std::make_unique<device::BackgroundProcessor>(device::ProcessorOptions{.idle_priority = false});
    const auto pool = pool::MemoryPool::create(**replay, policy_ahead(1), {.background = [&](device::WorkItem item) {
        if (processor) return processor->submit(std::move(item));
        item.cancel();
        return false;
    }});
    REQUIRE(pool);
    processor.reset();
    REQUIRE((*pool)->allocate(needs(kMib), ResourceClass::kLinear, MemoryUse::kDeviceOnly));
    check_sound(**pool);
}

TEST_CASE("whatever call fails, background or not, nothing leaks and the books agree") {
    std::uint64_t nth = 1;
    for (;; ++nth) {
        CAPTURE(nth);
        model::DevicePolicy policy = policy_ahead(2);
        policy.buckets[kUploads].chunks_ahead = chosen<std::uint64_t>(1);
        BackgroundScene one(policy, {.kept_empty_share = 0}, {.fail_at = nth});
        std::vector<pool::Placement> live;
        for (int frame = 0; frame < 6; ++frame) {
            one.queue.run();
            for (const MemoryUse use : {MemoryUse::kDeviceOnly, MemoryUse::kUpload, MemoryUse::kDeviceOnly}) {
                if (const auto made = one.scene.pool->allocate(needs(3 * kMib), ResourceClass::kLinear, use))
                    live.push_back(*made);
            }
            if (frame == 3) {
                for (const pool::Placement& placement : std::exchange(live, {})) one.scene.pool->release(placement, {});
            }
            REQUIRE(one.scene.pool->release_completed({}));
            check_sound(*one.scene.pool);
            CHECK(one.scene.faulty->counters().allocations == one.scene.pool->figures().device_allocations);
        }
        const bool injected = one.scene.faulty->counters().injected != 0;
        for (const pool::Placement& placement : live) one.scene.pool->release(placement, {});
        REQUIRE(one.scene.pool->release_completed({}));
        one.scene.pool.reset();
        CHECK(one.scene.faulty->counters().nothing_alive());
        CHECK(one.scene.replay->take_validation_messages().empty());
        one.queue.run();
        if (!injected) break;
    }
    CHECK(nth > 10);
}

TEST_CASE("eight threads and the background in one pool lose nothing") {
    constexpr std::uint64_t kThreads = 8;
    constexpr std::uint64_t kSteps = 600;
    device::BackgroundProcessor processor({.idle_priority = false, .developer_mode = true});
    model::DevicePolicy policy = policy_ahead(2);
    policy.buckets[kUploads].chunks_ahead = chosen<std::uint64_t>(1);
    policy.buckets[kBarBuffers].chunks_ahead = chosen<std::uint64_t>(2);
    PoolScene scene(policy, {}, {.kept_empty_share = 0, .background = [&](device::WorkItem item) {
                                     return processor.submit(std::move(item));
                                 }});
    pool::MemoryPool& pool = *scene.pool;
    std::atomic<std::uint64_t> faults{0};
    const auto work = [&](std::uint64_t number) {
        Random random(number + 1);
        std::vector<pool::Placement> live;
        for (std::uint64_t step = 0; step < kSteps; ++step) {
            const MemoryUse uses[] = {MemoryUse::kDeviceOnly, MemoryUse::kStreaming, MemoryUse::kUpload};
            if (live.size() < 6 && random.below(3) != 0) {
                const auto made =
                    pool.allocate(needs(random.between(1, 3 * kMib)), ResourceClass::kLinear, uses[random.below(3)]);
                if (made) live.push_back(*made);
            } else if (!live.empty()) {
                pool.release(live.back(), {});
                live.pop_back();
            }
            if (step % 8 == 0 && !pool.release_completed({})) ++faults;
            if (number == 0 && step % 100 == 50) (void)pool.trim();
            if (number == 1 && step % 64 == 0) (void)pool.figures();
            if (number == 2 && step % 50 == 0) {
                const auto mode = step % 100 == 0 ? device::BackgroundProcessingMode::kDisableBackgroundWork
                                                  : device::BackgroundProcessingMode::kAllowed;
                if (!processor.set_mode(mode, device::MeasurementsAction::kKeepAll, nullptr)) ++faults;
            }
        }
        for (const pool::Placement& placement : live) pool.release(placement, {});
    };
    std::vector<std::thread> threads;
    for (std::uint64_t number = 0; number < kThreads; ++number) threads.emplace_back(work, number);
    for (std::thread& thread : threads) thread.join();
    CHECK(faults == 0);
    check_sound(pool);
    REQUIRE(
        processor.set_mode(device::BackgroundProcessingMode::kAllowed, device::MeasurementsAction::kKeepAll, nullptr));
    REQUIRE(pool.release_completed({}));
    processor.drain();
    check_sound(pool);
    const pool::PreparationFigures figures = pool.figures().preparation;
    std::uint64_t ready = 0;
    for (const pool::BucketFigures& bucket : pool.figures().buckets) ready += bucket.ready_chunks;
    CHECK(figures.prepared == figures.taken_ready + figures.given_back + ready);
    scene.pool.reset();
    CHECK(scene.faulty->counters().nothing_alive());
    CHECK(scene.replay->take_validation_messages().empty());
}
