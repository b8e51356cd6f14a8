#include "device/slot_map.hpp"

#include <algorithm>
#include <atomic>
#include <thread>
#include <vector>

#include <catch2/catch_test_macros.hpp>

namespace heapwright::device {
namespace {

TEST_CASE("an id reaches its object until it is taken, and nothing afterwards") {
    SlotMap<int> map;
    const std::uint64_t first = map.insert(1);
    const std::uint64_t second = map.insert(2);
    CHECK(first != 0);
    CHECK(first != second);
    REQUIRE(map.find(first) != nullptr);
    CHECK(*map.find(first) == 1);
    CHECK(map.size() == 2);
    CHECK(map.take(first) == 1);
    CHECK(map.find(first) == nullptr);
    CHECK_FALSE(map.take(first));
    const std::uint64_t third = map.insert(3);
    CHECK(third != first);
    CHECK(map.find(first) == nullptr);
    CHECK(*map.find(third) == 3);
    CHECK(*map.find(second) == 2);
    CHECK(map.size() == 2);
}

TEST_CASE("ids that were never given out reach nothing") {
    SlotMap<int> map;
    CHECK(map.find(0) == nullptr);
    CHECK(map.find(~0ull) == nullptr);
    const std::uint64_t id = map.insert(1);
    CHECK(map.find(id + 1) == nullptr);
    CHECK(map.find(0) == nullptr);
}

TEST_CASE("objects stay where they are while others come") {
    SlotMap<int> map;
    const std::uint64_t id = map.insert(7);
    const int* address = map.find(id);
    for (int i = 0; i < 10'000; ++i) static_cast<void>(map.insert(i));
    CHECK(map.find(id) == address);
}

TEST_CASE("several threads insert, find and take at once") {
    SlotMap<int> map;
    std::atomic<int> wrong{0};
    std::vector<std::thread> threads;
    for (int t = 0; t < 4; ++t) {
        threads.emplace_back([&map, &wrong, t] {
            for (int i = 0; i < 5'000; ++i) {
                const int value = t * 10'000 + i;
                const std::uint64_t id = map.insert(value);
                const int* found = map.find(id);
                if (found == nullptr || *found != value) ++wrong;
                if (map.take(id) != value) ++wrong;
            }
        });
    }
    for (std::thread& thread : threads) thread.join();
    CHECK(wrong == 0);
    CHECK(map.size() == 0);
}

// Loader threads create, the frame's thread destroys: slots go back to who filled them.
TEST_CASE("what one thread inserts another takes, and the slots are used again") {
    SlotMap<int> map;
    std::uint32_t highest = 0;
    for (int round = 0; round < 50; ++round) {
        std::vector<std::uint64_t> ids;
        std::thread([&] {
            for (int i = 0; i < 100; ++i) ids.push_back(map.insert(i));
        }).join();
        int sum = 0;
        map.for_each([&](int value) { sum += value; });
        CHECK(sum == 4950);
        for (const std::uint64_t id : ids) {
            highest = std::max(highest, static_cast<std::uint32_t>(id));
            REQUIRE(map.take(id));
        }
        CHECK(map.size() == 0);
    }
    // Each of the 16 shards keeps at most 100 slots, in whole blocks of 32.
    CHECK(highest < 16 * 128);
}

}  // namespace
}  // namespace heapwright::device
