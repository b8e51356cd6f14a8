#include "core/read_mostly_cache.hpp"

#include <atomic>
#include <thread>
#include <vector>

#include <catch2/catch_test_macros.hpp>

namespace heapwright {
namespace {

using Cache = ReadMostlyCache<2, 3, 4>;

Cache::Value value_of(std::uint64_t key) {
    return {key * 3, key * 5, key * 7};
}

TEST_CASE("a cache finds what was inserted under that very key") {
    Cache cache;
    CHECK_FALSE(cache.find({1, 2}));
    cache.insert({1, 2}, value_of(1));
    CHECK(cache.find({1, 2}) == value_of(1));
    CHECK_FALSE(cache.find({2, 1}));
    cache.insert({1, 2}, value_of(9));
    CHECK(cache.find({1, 2}) == value_of(9));
}

TEST_CASE("a full cache gives up old entries, never a wrong value") {
    Cache cache;
    std::size_t found = 0;
    for (std::uint64_t key = 1; key <= 1000; ++key) {
        cache.insert({key, key}, value_of(key));
        REQUIRE(cache.find({key, key}) == value_of(key));
    }
    for (std::uint64_t key = 1; key <= 1000; ++key) {
        const auto value = cache.find({key, key});
        if (!value) continue;
        CHECK(*value == value_of(key));
        ++found;
    }
    CHECK(found > 0);
    CHECK(found <= 4 * Cache::kWays);
}

TEST_CASE("readers beside writers see whole values") {
    Cache cache;
    std::atomic<int> wrong{0};
    std::vector<std::thread> threads;
    for (std::uint64_t t = 0; t < 4; ++t) {
        threads.emplace_back([&, t] {
            for (std::uint64_t i = 0; i < 20'000; ++i) {
                const std::uint64_t key = 1 + (i * (t + 1)) % 40;
                if (const auto value = cache.find({key, 1}); value && *value != value_of(key)) ++wrong;
                cache.insert({key, 1}, value_of(key));
            }
        });
    }
    for (std::thread& thread : threads) thread.join();
    CHECK(wrong == 0);
}

}  // namespace
}  // namespace heapwright
