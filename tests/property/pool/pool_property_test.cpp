// Random life of placements in a whole pool, against a map of live ranges that knows nothing of buckets or chunks.
// Checked at every step: no overlap with what is live or waits for the device, alignment, memory type, inside a heap
// that the device has; from time to time the pool's invariants; at the end that all of it comes back.
#include <algorithm>
#include <deque>

#include "../../unit/pool/pool_scene.hpp"
#include "../suballoc/property_run.hpp"
#include "core/random.hpp"
#include "heapwright/device/background_processor.hpp"

#include "pool_oracle.hpp"

using namespace heapwright;
using namespace heapwright::test;
using model::MemoryUse;
using model::ResourceClass;

namespace {

struct Waiting {
    pool::Placement placement;
    TimelineValue value;
};

constexpr std::uint32_t kSlotBits = 16;

void run(model::SuballocatorKind kind, std::uint64_t operations, std::uint64_t seed, std::uint64_t chunks_ahead = 0) {
    const bool is_slots = kind == model::SuballocatorKind::kSlots;
    model::DevicePolicy policy = pool_policy();
    for (model::BucketPolicy& bucket : policy.buckets) {
        bucket.alignment_bytes = 65536;
        bucket.suballocator.value = kind;
        if (is_slots) bucket.granule_bytes.value = 1ull << kSlotBits;
        if (chunks_ahead != 0) bucket.chunks_ahead = chosen(chunks_ahead);
        bucket.growth =
            model::ChunkGrowth{.first_chunk_bytes = chosen<std::uint64_t>(kMib), .divisor = chosen<std::uint64_t>(2)};
    }
    device::BackgroundProcessor processor({.idle_priority = false});
    const PoolScene scene(policy, {}, {.empty_chunk_age = 8, .background = [&](device::WorkItem item) {
                                           return processor.submit(std::move(item));
                                       }});
    pool::MemoryPool& pool = *scene.pool;
    PoolOracle oracle;
    Random random(seed);
    std::vector<pool::Placement> live;
    std::deque<Waiting> waiting;
    std::uint64_t frame = 1;
    std::uint64_t refused = 0;

    const auto collect = [&](std::uint64_t completed) {
        REQUIRE(pool.release_completed(TimelineValue{completed}));
        while (!waiting.empty() && waiting.front().value.value <= completed) {
            oracle.remove(waiting.front().placement);
            waiting.pop_front();
        }
    };
    for (std::uint64_t operation = 0; operation < operations; ++operation) {
        const bool grow = live.size() < 200 || (live.size() < 800 && random.below(1000) < 501);
        if (grow) {
            const model::MemoryRequirements asked = draw(random, is_slots ? kSlotBits : 20);
            const auto resource_class = random.below(2) == 0 ? ResourceClass::kLinear : ResourceClass::kOptimal;
            const auto made = pool.allocate(asked, resource_class, MemoryUse::kDeviceOnly);
            if (made) {
                const std::string wrong = oracle.add(*made, asked);
                if (!wrong.empty()) FAIL(wrong << ": " << replay_hint(seed, operation));
                live.push_back(*made);
            } else {
                if (made.error().code != ErrorCode::kOutOfDeviceMemory)
                    FAIL(to_string(made.error()) << ": " << replay_hint(seed, operation));
                ++refused;
            }
        }
        if (!live.empty() && (!grow || random.below(4) == 0)) {
            std::swap(live[static_cast<std::size_t>(random.below(live.size()))], live.back());
            pool.release(live.back(), TimelineValue{frame});
            waiting.push_back({live.back(), TimelineValue{frame}});
            live.pop_back();
        }
        if (operation % 16 == 15) {
            ++frame;
            if (frame > 3) collect(frame - 3);
        }
        if (operation % 4096 == 0) {
            const Status sound = pool.validate_invariants();
            if (!sound) FAIL(to_string(sound.error()) << ": " << replay_hint(seed, operation));
        }
    }
    CHECK(refused < operations / 10);
    for (const pool::Placement& placement : live) pool.release(placement, TimelineValue{frame});
    for (int age = 0; age < 20; ++age) REQUIRE(pool.release_completed(TimelineValue{frame}));
    check_sound(pool);
    processor.drain();
    if (chunks_ahead != 0) {
        CHECK(pool.figures().preparation.taken_ready > 0);
        CHECK(pool.trim() > 0);
    }
    CHECK(pool.figures().device_allocations == 0);
    CHECK(scene.faulty->counters().nothing_alive());
}

}  // namespace

TEST_CASE("no pool of any kind of suballocator ever gives out what is live, misplaced or pending") {
    const std::uint64_t operations = property_operations();
    for (const auto kind :
         {model::SuballocatorKind::kTlsf, model::SuballocatorKind::kFixedBlocks, model::SuballocatorKind::kSlots,
          model::SuballocatorKind::kLinear, model::SuballocatorKind::kRing}) {
        CAPTURE(static_cast<int>(kind));
        run(kind, operations, property_seed());
    }
}

TEST_CASE("nor does one whose chunks are prepared and freed in the background") {
    run(model::SuballocatorKind::kTlsf, property_operations(), property_seed(), 2);
}
