// Eight threads in one pool, HEAPWRIGHT_PROPERTY_OPERATIONS random steps of all together, with an oracle of what is
// live that knows nothing of buckets or chunks. Run it under the thread sanitizer too.
#include <atomic>
#include <thread>

#include "../../unit/pool/pool_scene.hpp"
#include "../suballoc/property_run.hpp"
#include "heapwright/device/background_processor.hpp"
#include "pool_oracle.hpp"

using namespace heapwright;
using namespace heapwright::test;
using model::MemoryUse;
using model::ResourceClass;

namespace {

constexpr std::uint64_t kThreads = 8;
constexpr std::uint64_t kLivePerThread = 60;

struct Shared {
    pool::MemoryPool& pool;
    SharedPoolOracle oracle;
    std::atomic<std::uint64_t> frame{1};
    std::atomic<std::uint64_t> served{0};
    std::mutex mutex;
    std::vector<std::string> wrong;

    void note(std::string what) {
        const std::lock_guard lock(mutex);
        if (wrong.size() < 10) wrong.push_back(std::move(what));
    }
};

void live(Shared& shared, std::uint64_t seed, std::uint64_t operations) {
    Random random(seed);
    std::vector<pool::Placement> placements;
    const auto end_one = [&] {
        std::swap(placements[static_cast<std::size_t>(random.below(placements.size()))], placements.back());
        shared.oracle.remove(placements.back());
        shared.pool.release(placements.back(), TimelineValue{shared.frame.load()});
        placements.pop_back();
    };
    for (std::uint64_t operation = 0; operation < operations; ++operation) {
        if (placements.size() < kLivePerThread / 2 ||
            (placements.size() < kLivePerThread && random.below(1000) < 501)) {
            const model::MemoryRequirements asked = draw(random, 20);
            const auto kind = random.below(2) == 0 ? ResourceClass::kLinear : ResourceClass::kOptimal;
            const auto use = random.below(2) == 0 ? MemoryUse::kDeviceOnly : MemoryUse::kStreaming;
            const auto made = shared.pool.allocate(asked, kind, use);
            if (made) {
                if (std::string wrong = shared.oracle.add(*made, asked); !wrong.empty())
                    shared.note(wrong + ": " + replay_hint(seed, operation));
                placements.push_back(*made);
                shared.served.fetch_add(1, std::memory_order_relaxed);
            } else if (made.error().code != ErrorCode::kOutOfDeviceMemory) {
                shared.note(to_string(made.error()) + ": " + replay_hint(seed, operation));
            }
        } else if (!placements.empty()) {
            end_one();
        }
        if (operation % 64 == 63) {
            const std::uint64_t frame = shared.frame.fetch_add(1);
            if (const Status collected = shared.pool.release_completed(TimelineValue{frame - 1}); !collected)
                shared.note(to_string(collected.error()));
        }
        if (operation % 4096 == 4095) (void)shared.pool.trim();
        if (operation % 1024 == 1023) (void)shared.pool.figures();
    }
    while (!placements.empty()) end_one();
}

void run(std::uint64_t operations, std::uint64_t seed, bool in_background) {
    model::DevicePolicy policy = pool_policy();
    for (model::BucketPolicy& bucket : policy.buckets) {
        bucket.alignment_bytes = 65536;
        if (in_background) bucket.chunks_ahead = chosen<std::uint64_t>(1);
        bucket.growth =
            model::ChunkGrowth{.first_chunk_bytes = chosen<std::uint64_t>(kMib), .divisor = chosen<std::uint64_t>(2)};
    }
    device::BackgroundProcessor processor({.idle_priority = false});
    pool::PoolOptions options{.empty_chunk_age = 8};
    if (in_background) options.background = [&](device::WorkItem item) { return processor.submit(std::move(item)); };
    const PoolScene scene(policy, {}, options);
    Shared shared{.pool = *scene.pool};
    std::vector<std::thread> threads;
    for (std::uint64_t number = 0; number < kThreads; ++number)
        threads.emplace_back([&, number] { live(shared, seed + number, operations / kThreads); });
    for (std::thread& thread : threads) thread.join();

    for (const std::string& wrong : shared.wrong) FAIL_CHECK(wrong);
    CHECK(shared.served > operations / 4);
    check_sound(*scene.pool);
    for (int age = 0; age < 20; ++age) REQUIRE(scene.pool->release_completed(TimelineValue{~0ull}));
    processor.drain();
    (void)scene.pool->trim();
    check_sound(*scene.pool);
    CHECK(scene.pool->figures().device_allocations == 0);
    CHECK(scene.faulty->counters().nothing_alive());
}

}  // namespace

TEST_CASE("eight threads in one pool never get what another holds, misplaced or too small") {
    run(property_operations(), property_seed(), false);
}

TEST_CASE("nor do they where chunks are prepared and freed in the background") {
    run(property_operations(), property_seed() + kThreads, true);
}
