// The small suballocators and the queues, one operation at a time (Google Benchmark).
#include <benchmark/benchmark.h>

#include <array>
#include <vector>

#include "core/random.hpp"
#include "heapwright/suballoc/any_suballocator.hpp"
#include "heapwright/suballoc/locked_suballocator.hpp"
#include "heapwright/suballoc/release_queue.hpp"
#include "heapwright/suballoc/thread_cache.hpp"

namespace {

using namespace heapwright;
using namespace heapwright::suballoc;

void linear_bump(benchmark::State& state) {
    auto linear = LinearAllocator::create({.capacity = 1ull << 40, .reserved_suballocations = 4096}).value();
    int count = 0;
    for (auto _ : state) {
        benchmark::DoNotOptimize(linear.allocate(256, 256));
        if (++count == 4096) {
            linear.reset();
            count = 0;
        }
    }
}
BENCHMARK(linear_bump);

void slot_pair(benchmark::State& state) {
    auto slots = SlotAllocator::create({.capacity = 1 << 20, .slot_size = 256}).value();
    for (auto _ : state) {
        const auto slot = slots.allocate(256);
        benchmark::DoNotOptimize(slots.free(slot->handle));
    }
}
BENCHMARK(slot_pair);

void ring_allocation(benchmark::State& state) {
    auto ring = RingAllocator::create({.capacity = 1 << 24}).value();
    std::uint64_t frame = 0;
    int count = 0;
    for (auto _ : state) {
        benchmark::DoNotOptimize(ring.allocate(1024, 256));
        if (++count == 1000) {
            count = 0;
            benchmark::DoNotOptimize(ring.finish_frame({++frame}));
            if (frame > 3) ring.release_completed({frame - 3});
        }
    }
}
BENCHMARK(ring_allocation);

// An object pushed and released, 1000 a frame, three frames behind.
void release_queue_object(benchmark::State& state) {
    ReleaseQueue<std::uint64_t> queue;
    std::uint64_t frame = 1;
    std::uint64_t sum = 0;
    int count = 0;
    for (auto _ : state) {
        queue.push({frame}, frame);
        if (++count == 1000) {
            count = 0;
            ++frame;
            queue.release_completed({frame - 3 > frame ? 0 : frame - 3}, [&](std::uint64_t object) { sum += object; });
        }
    }
    benchmark::DoNotOptimize(sum);
}
BENCHMARK(release_queue_object);

void tlsf_pair(benchmark::State& state) {
    auto block = TlsfAllocator::create({.capacity = 1 << 24, .granule = 256}).value();
    for (auto _ : state) {
        const auto made = block.allocate(1000);
        benchmark::DoNotOptimize(block.free(made->handle));
    }
}
BENCHMARK(tlsf_pair);

void any_tlsf_pair(benchmark::State& state) {
    auto block = AnySuballocator::create({.capacity = 1 << 24, .granule = 256}).value();
    for (auto _ : state) {
        const auto made = block.allocate(1000);
        benchmark::DoNotOptimize(block.free(made->handle));
    }
}
BENCHMARK(any_tlsf_pair);

// A second thread exists, as in any engine: the lock's fast path without threads would flatter it.
LockedSuballocator<TlsfAllocator>& shared_block() {
    static LockedSuballocator<TlsfAllocator> shared(
        TlsfAllocator::create({.capacity = 1 << 26, .granule = 256, .reserved_ranges = 1 << 14}).value());
    return shared;
}

void locked_tlsf_pair(benchmark::State& state) {
    auto& shared = shared_block();
    for (auto _ : state) {
        const auto made = shared.allocate(1000);
        benchmark::DoNotOptimize(shared.free(made->handle));
    }
}
BENCHMARK(locked_tlsf_pair)->Threads(1)->Threads(2);

// Does a cache for each thread in front of the lock pay? Each thread keeps 256 suballocations of 1 to 64 granules and
// replaces a random one at a time; `held` is the share of the block that lies idle in the caches in the end.
constexpr std::uint64_t kGranule = 256;

template <class Allocate, class Free>
void churn_pairs(benchmark::State& state, Allocate&& allocate, Free&& free) {
    Random random(static_cast<std::uint64_t>(state.thread_index()) + 1);
    const auto draw = [&] { return random.between(1, 64) * kGranule; };
    std::array<Suballocation, 256> live;
    for (Suballocation& one : live) one = allocate(draw()).value();
    for (auto _ : state) {
        Suballocation& victim = live[random.below(live.size())];
        free(victim);
        victim = allocate(draw()).value();
    }
    for (const Suballocation& one : live) free(one);
}

void locked_churn(benchmark::State& state) {
    auto& shared = shared_block();
    churn_pairs(
        state, [&](std::uint64_t size) { return shared.allocate(size); },
        [&](const Suballocation& one) { benchmark::DoNotOptimize(shared.free(one.handle)); });
}
BENCHMARK(locked_churn)->Threads(1)->Threads(2)->Threads(4)->UseRealTime();

// Argument: the part of the block that one cache may hold, as 1/n.
void cached_churn(benchmark::State& state) {
    auto& shared = shared_block();
    ThreadCache cache(
        shared, {.granule = kGranule, .held_limit = shared.capacity() / static_cast<std::uint64_t>(state.range(0))});
    churn_pairs(
        state, [&](std::uint64_t size) { return cache.allocate(size); },
        [&](const Suballocation& one) { benchmark::DoNotOptimize(cache.free(one)); });
    state.counters["held"] = static_cast<double>(cache.held()) / static_cast<double>(shared.capacity());
}
BENCHMARK(cached_churn)->Arg(256)->Arg(64)->Arg(16)->Threads(1)->Threads(2)->Threads(4)->UseRealTime();

}  // namespace
