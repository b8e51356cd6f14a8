// Eight threads in one pool, with a map of what is live that knows nothing of the pool. Run it under the thread
// sanitizer too. HEAPWRIGHT_PROPERTY_OPERATIONS sets the operations of all threads together.
#include "../../property/suballoc/property_run.hpp"
#include "pool_scene.hpp"

#include <map>
#include <mutex>
#include <thread>

#include "core/random.hpp"

using namespace heapwright;
using namespace heapwright::test;
using model::MemoryUse;
using model::ResourceClass;

namespace {

// Live ranges by (device allocation, offset).
class LiveRanges {
public:
    [[nodiscard]] bool add(const pool::Placement& placement) {
        const std::lock_guard lock(mutex_);
        auto& ranges = ranges_[placement.memory.value];
        const auto next = ranges.lower_bound(placement.offset_bytes);
        if (next != ranges.end() && next->first < placement.offset_bytes + placement.size_bytes) return false;
        if (next != ranges.begin() && std::prev(next)->second > placement.offset_bytes) return false;
        ranges.emplace_hint(next, placement.offset_bytes, placement.offset_bytes + placement.size_bytes);
        return true;
    }
    void remove(const pool::Placement& placement) {
        const std::lock_guard lock(mutex_);
        ranges_[placement.memory.value].erase(placement.offset_bytes);
    }

private:
    std::mutex mutex_;
    std::map<std::uint64_t, std::map<std::uint64_t, std::uint64_t>> ranges_;
};

}  // namespace

TEST_CASE("eight threads allocate, create, release and collect at once") {
    constexpr std::uint64_t kThreads = 8;
    constexpr std::size_t kMostLive = 48;  // of a thread
    const std::uint64_t steps = from_environment("HEAPWRIGHT_PROPERTY_OPERATIONS", 12'000) / kThreads;
    const PoolScene scene;
    pool::MemoryPool& pool = *scene.pool;
    LiveRanges live_ranges;
    std::atomic<std::uint64_t> faults{0};
    std::atomic<std::uint64_t> served{0};

    const auto work = [&](std::uint64_t number) {
        Random random(number + 1);
        std::vector<pool::Placement> placements;
        std::vector<pool::Resource> resources;
        for (std::uint64_t step = 0; step < steps; ++step) {
            std::uint64_t choice = random.below(8);
            // Long runs reach a steady state instead of a full device.
            if (choice < 3 && placements.size() == kMostLive) choice = 7;
            if (choice == 3 && resources.size() == kMostLive) choice = 4;
            switch (choice) {
                case 0:
                case 1:
                case 2: {
                    const auto use = random.below(2) == 0 ? MemoryUse::kDeviceOnly : MemoryUse::kStreaming;
                    if (const auto made =
                            pool.allocate(needs(random.between(1, 256 * kKib)), ResourceClass::kLinear, use)) {
                        if (!live_ranges.add(*made)) ++faults;
                        placements.push_back(*made);
                        ++served;
                    }
                    break;
                }
                case 3:
                    if (auto made = pool.create(sampled_image(64, 64), MemoryUse::kDeviceOnly))
                        resources.push_back(std::move(*made));
                    break;
                case 4:
                    if (!resources.empty()) resources.pop_back();
                    break;
                case 5:
                    if (step % 16 == 0 && !pool.release_completed(TimelineValue{step})) ++faults;
                    break;
                default:
                    if (placements.empty()) break;
                    live_ranges.remove(placements.back());
                    pool.release(placements.back(), TimelineValue{step});
                    placements.pop_back();
                    break;
            }
            if (step % 500 == 499) (void)pool.trim();
            if (step % 100 == 0) (void)pool.figures();
        }
        for (const auto& placement : placements) {
            live_ranges.remove(placement);
            pool.release(placement, TimelineValue{steps});
        }
    };
    std::vector<std::thread> threads;
    for (std::uint64_t number = 0; number < kThreads; ++number) threads.emplace_back(work, number);
    for (std::thread& thread : threads) thread.join();

    CHECK(faults == 0);
    CHECK(served > kThreads * steps / 16);
    check_sound(pool);
    REQUIRE(pool.release_completed(TimelineValue{steps}));
    (void)pool.trim();
    check_sound(pool);
    CHECK(pool.figures().device_allocations == 0);
    CHECK(scene.replay->counters().source_allocations == 0);
    CHECK(scene.replay->counters().resources == 0);
    CHECK(scene.replay->take_validation_messages().empty());
}
