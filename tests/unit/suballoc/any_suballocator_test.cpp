#include <catch2/catch_test_macros.hpp>

#include <thread>
#include <vector>

#include "heapwright/suballoc/any_suballocator.hpp"
#include "heapwright/suballoc/locked_suballocator.hpp"

using namespace heapwright;
using namespace heapwright::suballoc;

namespace {

constexpr SuballocatorKind kAllKinds[] = {SuballocatorKind::kTlsf, SuballocatorKind::kFixedBlocks,
                                          SuballocatorKind::kSlots, SuballocatorKind::kLinear, SuballocatorKind::kRing};

}  // namespace

TEST_CASE("every kind is what was asked for and behaves alike") {
    for (const SuballocatorKind kind : kAllKinds) {
        CAPTURE(static_cast<int>(kind));
        auto block = AnySuballocator::create({.kind = kind, .capacity = 1024, .granule = 64}).value();
        CHECK(block.kind() == kind);
        CHECK(block.capacity() == 1024);
        const auto first = block.allocate(64, 64);
        const auto second = block.allocate(64, 64);
        REQUIRE(second);
        CHECK(first->offset != second->offset);
        CHECK(block.suballocation_count() == 2);
        CHECK(block.used() == 128);
        CHECK(block.occupancy_map(4) == std::vector<double>{0.5, 0.0, 0.0, 0.0});
        CHECK(block.free(second->handle) ==
              (kind == SuballocatorKind::kRing ? FreeOutcome::kDeferred : FreeOutcome::kFreed));
        CHECK(block.finish_frame({1}));
        block.release_completed({1});
        CHECK(block.validate_invariants());
        block.reset();
        CHECK(block.is_empty());
        CHECK(block.figures().largest_free_range == 1024);
        CHECK_FALSE(AnySuballocator::create({.kind = kind, .capacity = 0}));
    }
}

TEST_CASE("no bit of a handle may be wrong, whether what it names is live or free") {
    for (const SuballocatorKind kind : kAllKinds) {
        auto block = AnySuballocator::create({.kind = kind, .capacity = 1024, .granule = 64}).value();
        const auto first = block.allocate(64, 64).value();
        const auto second = block.allocate(64, 64).value();
        const auto third = block.allocate(64, 64).value();
        (void)block.free(second.handle);
        for (const Suballocation& one : {first, second, third}) {
            for (unsigned bit = 0; bit < 32; ++bit) {
                CAPTURE(static_cast<int>(kind), one.offset, bit);
                SuballocationHandle wrong = one.handle;
                wrong.generation ^= 1u << bit;
                CHECK(block.free(wrong) == FreeOutcome::kInvalidHandle);
            }
        }
        CHECK(block.suballocation_count() >= 2);
        CHECK(block.validate_invariants());
    }
}

TEST_CASE("a locked suballocator serves threads") {
    LockedSuballocator shared(TlsfAllocator::create({.capacity = 1 << 20}).value());
    std::vector<std::thread> threads;
    for (std::uint64_t thread = 0; thread < 4; ++thread) {
        threads.emplace_back([&shared, thread] {
            for (int round = 0; round < 2000; ++round) {
                const auto made = shared.allocate(thread + 1, 4);
                if (made) shared.free(made->handle);
            }
        });
    }
    for (std::thread& thread : threads) thread.join();
    CHECK(shared.used() == 0);
    CHECK(shared.validate_invariants());
    CHECK(shared.with([](TlsfAllocator& allocator) { return allocator.largest_free_range(); }) == 1 << 20);
}
