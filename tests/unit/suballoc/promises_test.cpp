// What is promised of every kind at once: the whole capacity, no memory asked of the host between set-up and end, and
// a time that does not grow with what is live.
#include <catch2/catch_test_macros.hpp>

#include <algorithm>
#include <array>
#include <chrono>
#include <vector>

#include "core/random.hpp"
#include "heapwright/suballoc/any_suballocator.hpp"
#include "host_allocations.hpp"

using namespace heapwright;
using namespace heapwright::suballoc;

TEST_CASE("an empty block of any kind and any capacity gives all of it, at the largest alignment") {
    for (const auto kind : {SuballocatorKind::kTlsf, SuballocatorKind::kFixedBlocks, SuballocatorKind::kSlots,
                            SuballocatorKind::kLinear, SuballocatorKind::kRing}) {
        Random random(1);
        for (int round = 0; round < 2000; ++round) {
            const std::uint64_t granule = 1ull << random.below(12);
            const std::uint64_t wanted = random.between(1, 1ull << random.between(1, 50));
            // A slot is the largest thing that slots give.
            const std::uint64_t capacity =
                kind == SuballocatorKind::kSlots ? std::min<std::uint64_t>(wanted, 1ull << 32) : wanted * granule;
            const std::uint64_t unit = kind == SuballocatorKind::kSlots ? capacity : granule;
            auto block = AnySuballocator::create({.kind = kind, .capacity = capacity, .granule = unit}).value();
            const std::uint64_t alignment =
                kind == SuballocatorKind::kSlots ? capacity & (0 - capacity) : 1ull << random.below(63);
            CAPTURE(static_cast<int>(kind), capacity, unit, alignment);
            const auto whole = block.allocate(capacity, alignment);
            REQUIRE(whole);
            REQUIRE((whole->offset == 0 && whole->size == capacity));
            REQUIRE(block.figures().free == 0);
            REQUIRE(block.allocate(1).error() == AllocateFailure::kExhausted);
        }
    }
}

TEST_CASE("the kinds of the hot path ask the host for no memory once they are set up") {
    for (const auto kind : {SuballocatorKind::kTlsf, SuballocatorKind::kSlots, SuballocatorKind::kLinear}) {
        CAPTURE(static_cast<int>(kind));
        auto block =
            AnySuballocator::create({.kind = kind, .capacity = 1 << 20, .granule = 256, .reserved_ranges = 8192})
                .value();
        Random random(2);
        std::vector<SuballocationHandle> live;
        live.reserve(4096);
        std::uint64_t served = 0;
        const std::uint64_t before = heapwright::test::host_allocations();
        for (int step = 0; step < 100'000; ++step) {
            if (live.size() == 3000 || (!live.empty() && random.below(2) == 0)) {
                // The stack is freed from its top.
                if (kind != SuballocatorKind::kLinear) std::swap(live[random.below(live.size())], live.back());
                block.free(live.back());
                live.pop_back();
            } else if (const auto made = block.allocate(random.between(1, 256), 1ull << random.below(9))) {
                live.push_back(made->handle);
                ++served;
            }
        }
        CHECK(heapwright::test::host_allocations() == before);
        CHECK(served > 30'000);
    }
}

TEST_CASE("a pair costs the general suballocator no more among a million ranges that are in its way") {
    // Ranges of one bin, all too small for the request that comes, and free places between live ones:
    //   x.x.x.x.x. ... and one large range at the end
    const auto least_ns = [](std::uint64_t ranges) {
        auto block = TlsfAllocator::create({.capacity = (ranges + 4) * 200,
                                            .granule = 1,
                                            .reserved_ranges = static_cast<std::uint32_t>(ranges) + 64})
                         .value();
        std::vector<SuballocationHandle> gaps;
        for (std::uint64_t i = 0; i < ranges / 2; ++i) {
            gaps.push_back(block.allocate(200 + i % 4).value().handle);
            REQUIRE(block.allocate(1));
        }
        for (const SuballocationHandle gap : gaps) block.free(gap);
        REQUIRE(block.figures().free_range_count > ranges / 2);
        double least = 1e9;
        for (int pass = 0; pass < 200; ++pass) {
            const auto begin = std::chrono::steady_clock::now();
            for (int i = 0; i < 50; ++i) {
                // 204: of the gaps' bin and larger than each; with the alignment also the search by candidates.
                const auto plain = block.allocate(204);
                const auto aligned = block.allocate(204, 128);
                if (plain) block.free(plain->handle);
                if (aligned) block.free(aligned->handle);
            }
            least = std::min(
                least, std::chrono::duration<double, std::nano>(std::chrono::steady_clock::now() - begin).count());
        }
        return least / 50;
    };
    const double few = least_ns(1000);
    const double many = least_ns(1'000'000);
    CAPTURE(few, many);
    // A walk over the ranges would cost a thousand times as much; caches may cost a few times.
    CHECK(many < few * 20 + 1000);
}
