#include <catch2/catch_test_macros.hpp>

#include <atomic>
#include <memory>
#include <thread>
#include <vector>

#include "core/random.hpp"
#include "heapwright/suballoc/thread_cache.hpp"
#include "heapwright/suballoc/tlsf_allocator.hpp"

using namespace heapwright;
using namespace heapwright::suballoc;

namespace {

constexpr std::uint64_t kGranule = 256;
using Shared = LockedSuballocator<TlsfAllocator>;

Shared shared_block(std::uint64_t granules) {
    return Shared(TlsfAllocator::create({.capacity = granules * kGranule, .granule = kGranule}).value());
}

}  // namespace

TEST_CASE("a cache serves a size again without the block, within its limit") {
    Shared shared = shared_block(64);
    ThreadCache cache(shared, {.granule = kGranule, .held_limit = 4 * kGranule});
    const auto a = cache.allocate(3 * kGranule).value();
    const auto b = cache.allocate(2 * kGranule).value();
    CHECK(cache.free(a) == FreeOutcome::kFreed);
    CHECK(cache.held() == 3 * kGranule);
    CHECK(shared.used() == 5 * kGranule);
    CHECK(cache.free(b) == FreeOutcome::kFreed);  // beyond the limit: straight back
    CHECK(shared.used() == 3 * kGranule);
    const auto again = cache.allocate(2 * kGranule + 1).value();
    CHECK(again == a);
    CHECK(cache.held() == 0);
    CHECK(cache.free(again) == FreeOutcome::kFreed);
    cache.give_back();
    CHECK(shared.used() == 0);
    CHECK(shared.figures().free_range_count == 1);
}

TEST_CASE("a cached range is given only where it meets the alignment") {
    Shared shared = shared_block(64);
    ThreadCache cache(shared, {.granule = kGranule, .held_limit = 64 * kGranule});
    const auto first = cache.allocate(kGranule).value();
    const auto second = cache.allocate(kGranule).value();
    REQUIRE(second.offset == kGranule);
    cache.free(second);
    CHECK(cache.allocate(kGranule, 1024).value().offset % 1024 == 0);
    CHECK(cache.held() == kGranule);
    CHECK(cache.allocate(kGranule, 3).error() == AllocateFailure::kBadAlignment);
    CHECK(cache.allocate(0).error() == AllocateFailure::kZeroSize);
    cache.free(first);
}

TEST_CASE("no request fails for what the cache itself holds") {
    Shared shared = shared_block(16);
    ThreadCache cache(shared, {.granule = kGranule, .held_limit = 16 * kGranule});
    std::vector<Suballocation> all;
    for (int i = 0; i < 8; ++i) all.push_back(cache.allocate(2 * kGranule).value());
    for (const Suballocation& one : all) cache.free(one);
    CHECK(cache.held() == 16 * kGranule);
    CHECK(cache.allocate(16 * kGranule).has_value());
    CHECK(cache.held() == 0);
    CHECK(cache.allocate(kGranule).error() == AllocateFailure::kExhausted);
}

TEST_CASE("caches of several threads never share a granule and leave the block whole") {
    constexpr std::uint64_t kGranules = 1 << 14;
    Shared shared = shared_block(kGranules);
    // Each granule names its owner, so that two threads in one place see each other.
    const auto owners = std::make_unique<std::atomic<int>[]>(kGranules);
    std::atomic<std::uint64_t> wrong = 0;
    const auto claim = [&](const Suballocation& one, int from, int to) {
        for (std::uint64_t at = one.offset / kGranule; at < (one.offset + one.size) / kGranule; ++at)
            if (owners[at].exchange(to, std::memory_order_relaxed) != from) ++wrong;
    };
    std::vector<std::thread> threads;
    for (int id = 1; id <= 8; ++id) {
        threads.emplace_back([&, id] {
            ThreadCache cache(shared, {.granule = kGranule, .held_limit = kGranules * kGranule / 64});
            Random random(static_cast<std::uint64_t>(id));
            std::vector<Suballocation> live;
            for (int step = 0; step < 20000; ++step) {
                if (live.size() < 40 && (live.empty() || random.below(2) == 0)) {
                    const auto made = cache.allocate(random.between(1, 80 * kGranule), kGranule << random.below(3));
                    if (!made) continue;
                    if (made->offset % kGranule != 0) ++wrong;
                    claim(*made, 0, id);
                    live.push_back(*made);
                } else {
                    std::swap(live[random.below(live.size())], live.back());
                    claim(live.back(), id, 0);
                    if (cache.free(live.back()) != FreeOutcome::kFreed) ++wrong;
                    live.pop_back();
                }
            }
            for (const Suballocation& one : live) {
                claim(one, id, 0);
                cache.free(one);
            }
        });
    }
    for (std::thread& thread : threads) thread.join();
    CHECK(wrong == 0);
    CHECK(shared.used() == 0);
    CHECK(shared.figures().free_range_count == 1);
    CHECK(shared.validate_invariants());
}
