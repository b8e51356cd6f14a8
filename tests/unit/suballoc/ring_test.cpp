// Memory maps: digits are frames, '.' free, '-' skipped at the wrap.
#include <catch2/catch_test_macros.hpp>

#include "heapwright/suballoc/ring_allocator.hpp"

using namespace heapwright;
using namespace heapwright::suballoc;

TEST_CASE("a frame's space comes back when its fence has passed") {
    //   1111....   finish 1
    //   11112222   full
    //   ....2222   fence 1 passed: 3 wraps to the front
    //   3333 2222  full again
    auto ring = RingAllocator::create({.capacity = 8}).value();
    const auto first = ring.allocate(4).value();
    REQUIRE(ring.finish_frame({1}));
    CHECK(ring.allocate(4).value().offset == 4);
    REQUIRE(ring.finish_frame({2}));
    CHECK(ring.allocate(1).error() == AllocateFailure::kExhausted);
    CHECK(ring.free(first.handle) == FreeOutcome::kDeferred);
    CHECK(ring.release_completed({0}) == 0);
    CHECK(ring.release_completed({1}) == 1);
    CHECK(ring.free(first.handle) == FreeOutcome::kInvalidHandle);
    CHECK(ring.allocate(4).value().offset == 0);
    CHECK(ring.used() == 8);
    CHECK(ring.allocate(1).error() == AllocateFailure::kExhausted);
    CHECK(ring.validate_invariants());
    REQUIRE(ring.finish_frame({3}));
    CHECK(ring.release_completed({3}) == 2);
    CHECK(ring.is_empty());
    CHECK(ring.allocate(8).value().offset == 0);
}

TEST_CASE("a request never wraps: the rest of the block is skipped with its frame") {
    //   111111..   2 of 4 does not fit behind 1
    //   ......--   fence 1 passed, then 2222..--
    auto ring = RingAllocator::create({.capacity = 8}).value();
    REQUIRE(ring.allocate(2));
    REQUIRE(ring.finish_frame({1}));
    REQUIRE(ring.allocate(4));
    REQUIRE(ring.finish_frame({2}));
    CHECK(ring.allocate(4).error() == AllocateFailure::kExhausted);
    ring.release_completed({1});
    CHECK(ring.allocate(4).error() == AllocateFailure::kExhausted);
    ring.release_completed({2});
    CHECK(ring.allocate(7).value().offset == 0);
    REQUIRE(ring.finish_frame({3}));
    REQUIRE(ring.allocate(1));
    REQUIRE(ring.finish_frame({4}));
    ring.release_completed({3});
    CHECK(ring.allocate(5).value().offset == 0);
    CHECK(ring.validate_invariants());
}

TEST_CASE("skipped space is counted and comes back with its frame") {
    //   1111 22..   ->  ....22--  3 of 3 goes to the front, 2 are skipped
    auto ring = RingAllocator::create({.capacity = 8}).value();
    REQUIRE(ring.allocate(4));
    REQUIRE(ring.finish_frame({1}));
    REQUIRE(ring.allocate(2));
    REQUIRE(ring.finish_frame({2}));
    ring.release_completed({1});
    CHECK(ring.allocate(3).value().offset == 0);
    CHECK(ring.used() == 7);
    CHECK(ring.figures().internal_waste == 2);
    CHECK(ring.validate_invariants());
    REQUIRE(ring.finish_frame({3}));
    ring.release_completed({2});
    CHECK(ring.used() == 5);
    CHECK(ring.validate_invariants());
    ring.release_completed({3});
    CHECK(ring.used() == 0);
}

TEST_CASE("fence values of frames never fall") {
    auto ring = RingAllocator::create({.capacity = 8}).value();
    REQUIRE(ring.allocate(1));
    REQUIRE(ring.finish_frame({5}));
    REQUIRE(ring.allocate(1));
    const auto rewound = ring.finish_frame({4});
    REQUIRE_FALSE(rewound);
    CHECK(rewound.error().value == 4);
    CHECK(rewound.error().limit == 5);
    CHECK(ring.finish_frame({5}));
    CHECK(ring.release_completed({5}) == 2);
    CHECK(ring.largest_used() == 2);
}
