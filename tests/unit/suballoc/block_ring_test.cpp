#include <catch2/catch_test_macros.hpp>

#include <array>
#include <deque>
#include <memory>

#include "core/random.hpp"
#include "heapwright/suballoc/detail/block_ring.hpp"
#include "heapwright/suballoc/release_queue.hpp"

using namespace heapwright;
using suballoc::detail::BlockRing;

TEST_CASE("a ring of blocks gives back in order what came, whatever its length was") {
    // Large, so that a block holds few.
    struct Entry {
        std::uint64_t number = 0;
        std::array<std::byte, 2000> rest{};
    };
    Random random(3);
    BlockRing<Entry> ring;
    std::deque<std::uint64_t> expected;
    std::uint64_t number = 0;
    for (int round = 0; round < 400; ++round) {
        for (std::uint64_t i = random.below(60); i > 0; --i) {
            ring.push({.number = number});
            expected.push_back(number++);
        }
        if (random.below(8) == 0) ring.reserve(ring.size() + random.below(100));
        if (random.below(8) == 0) {
            BlockRing<Entry> moved(std::move(ring));
            CHECK(ring.empty());
            ring = std::move(moved);
        }
        for (std::uint64_t i = random.below(60); i > 0 && !expected.empty(); --i) {
            REQUIRE(ring.front().number == expected.front());
            ring.pop();
            expected.pop_front();
        }
        REQUIRE(ring.size() == expected.size());
    }
}

TEST_CASE("a ring of blocks destroys what it still holds") {
    const auto counted = std::make_shared<int>(0);
    {
        BlockRing<std::shared_ptr<int>> ring;
        for (int i = 0; i < 5000; ++i) ring.push(counted);
        CHECK(counted.use_count() == 5001);
        for (int i = 0; i < 3000; ++i) ring.pop();
        CHECK(counted.use_count() == 2001);
    }
    CHECK(counted.use_count() == 1);
}

TEST_CASE("a queue hands out at most so many at a time, and the rest at the next") {
    suballoc::ReleaseQueue<int> queue;
    for (int object = 0; object < 10; ++object) queue.push({static_cast<std::uint64_t>(object / 4)}, object);
    std::vector<int> released;
    const auto keep = [&](int object) { released.push_back(object); };
    CHECK(queue.release_completed({1}, keep, 3) == 3);
    CHECK(queue.release_completed({1}, keep, 3) == 3);
    CHECK(queue.release_completed({1}, keep, 3) == 2);
    CHECK(queue.release_completed({1}, keep, 3) == 0);
    CHECK(queue.release_completed({2}, keep) == 2);
    CHECK(released == std::vector<int>{0, 1, 2, 3, 4, 5, 6, 7, 8, 9});
}
