#include <catch2/catch_test_macros.hpp>

#include <limits>

#include "contract/feasibility.hpp"
#include "core/random.hpp"

namespace usable_budget_test {

using namespace heapwright;
using contract::usable_budget;

namespace {

constexpr std::uint64_t kMib = 1ull << 20;
constexpr std::uint64_t kMost = std::numeric_limits<std::uint64_t>::max();

}  // namespace

TEST_CASE("a budget of 0 or none is unknown: the heap's size counts") {
    CHECK(usable_budget(16 * kMib, std::nullopt) == 16 * kMib);
    CHECK(usable_budget(16 * kMib, 0) == 16 * kMib);
    CHECK(usable_budget(16 * kMib, 0, 5 * kMib) == 11 * kMib);
    CHECK(usable_budget(kMost, 0) == kMost);
    CHECK_FALSE(contract::known_budget(0));
    CHECK(contract::known_budget(1) == 1);
}

TEST_CASE("a budget above its heap counts as the heap's size") {
    CHECK(usable_budget(16 * kMib, 12 * kMib) == 12 * kMib);
    CHECK(usable_budget(16 * kMib, 16 * kMib + 1) == 16 * kMib);
    CHECK(usable_budget(16 * kMib, kMost) == 16 * kMib);
    CHECK(usable_budget(16 * kMib, kMost - 4095, 15 * kMib) == kMib);
}

TEST_CASE("what the process uses is taken off its budget, and no more than all of it") {
    CHECK(usable_budget(16 * kMib, 12 * kMib, 5 * kMib) == 7 * kMib);
    CHECK(usable_budget(16 * kMib, 12 * kMib, 12 * kMib) == 0);
    CHECK(usable_budget(16 * kMib, 12 * kMib, 13 * kMib) == 0);
    CHECK(usable_budget(16 * kMib, 12 * kMib, kMost) == 0);
    CHECK(usable_budget(kMost, kMost, kMost - 1) == 1);
}

TEST_CASE("a heap of no size has nothing to use, whatever its budget") {
    for (const std::uint64_t budget : {std::uint64_t{0}, 12 * kMib, kMost}) CHECK(usable_budget(0, budget, 0) == 0);
    CHECK(usable_budget(0, std::nullopt, kMib) == 0);
}

TEST_CASE("a report's heap has its own budget, its size where it has none, and a plan takes no usage off") {
    model::DeviceReport device;
    device.heaps = {{.size_bytes = 16 * kMib}, {.size_bytes = 8 * kMib}, {.size_bytes = 4 * kMib}};
    CHECK(usable_budget(device, 1) == 8 * kMib);
    CHECK(usable_budget(device, 3) == 0);
    device.run.heap_budgets = {{.budget_bytes = 10 * kMib, .usage_bytes = 9 * kMib}, {.budget_bytes = 0}};
    CHECK(usable_budget(device, 0) == 10 * kMib);
    CHECK(usable_budget(device, 1) == 8 * kMib);
    CHECK(usable_budget(device, 2) == 4 * kMib);
    CHECK(contract::known_budget(device, 0) == 10 * kMib);
    CHECK_FALSE(contract::known_budget(device, 1));
    CHECK_FALSE(contract::known_budget(device, 2));
}

TEST_CASE("the share that is left to others is exact up to 64 bits") {
    CHECK(contract::without_share(1000, 0.25) == 750);
    CHECK(contract::without_share(kMost, 0) == kMost);
    CHECK(contract::without_share(kMost, 1) == 0);
    CHECK(contract::without_share(kMost, 0.5) == kMost / 2 + 1);
    CHECK(contract::without_share(kMost, -3) == kMost);
    CHECK(contract::without_share(kMost, 7) == 0);
    CHECK(contract::without_share(kMost, std::numeric_limits<double>::quiet_NaN()) == kMost);
}

TEST_CASE("never more than the heap, never more than a known budget, less with every byte in use") {
    Random random(11);
    const auto any = [&] { return random.below(6) == 0 ? 0 : random.next() >> random.below(64); };
    for (int round = 0; round < 100'000; ++round) {
        const std::uint64_t heap = any();
        const std::uint64_t budget = any();
        const std::uint64_t used = any();
        const std::uint64_t whole = usable_budget(heap, budget);
        const std::uint64_t left = usable_budget(heap, budget, used);
        REQUIRE(whole <= heap);
        REQUIRE((budget == 0 ? whole == heap : whole <= budget));
        REQUIRE((whole == heap || whole == budget));
        REQUIRE(left <= whole);
        REQUIRE((used > whole ? left == 0 : left + used == whole));
        const std::uint64_t ours = contract::without_share(whole, random.unit());
        REQUIRE(ours <= whole);
    }
}

}  // namespace usable_budget_test
