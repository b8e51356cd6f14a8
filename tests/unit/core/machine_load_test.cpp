// What of the machine's time is others': from made-up totals, and from the machine itself.
#include "core/machine_load.hpp"

#include <catch2/catch_test_macros.hpp>
#include <chrono>
#include <thread>

using namespace heapwright;

TEST_CASE("a line of processor times counts every time once") {
    const auto ticks = parse_processor_ticks("cpu  10 1 5 100 20 2 3 4 9 9");
    REQUIRE(ticks.has_value());
    CHECK(ticks->all == 145);
    CHECK(ticks->idle == 120);
    CHECK_FALSE(parse_processor_ticks("cpu0 1 2 3 4").has_value());
    CHECK_FALSE(parse_processor_ticks("cpu  1 2").has_value());
    CHECK_FALSE(parse_processor_ticks("").has_value());
}

TEST_CASE("others' share is what is busy and not this process's") {
    const MachineTimes from{.at_ns = 0, .all_ns = 1000, .busy_ns = 100, .own_ns = 50, .waited_ns = 5};
    const auto shares =
        shares_between(from, {.at_ns = 100, .all_ns = 1400, .busy_ns = 300, .own_ns = 150, .waited_ns = 30});
    REQUIRE(shares.has_value());
    CHECK(shares->others == 0.25);
    CHECK(shares->waiting == 0.25);
    CHECK_FALSE(shares_between(from, from).has_value());
    // Totals of two clocks: more own time than busy time is none of others.
    CHECK(shares_between(from, {.at_ns = 100, .all_ns = 1400, .busy_ns = 110, .own_ns = 150})->others == 0);
}

TEST_CASE("the meter's shares are shares") {
    const LoadMeter meter;
    std::this_thread::sleep_for(std::chrono::milliseconds(80));
    if (const auto shares = meter.shares()) {
        CHECK((shares->others >= 0 && shares->others <= 1));
        CHECK((shares->waiting >= 0 && shares->waiting <= 1));
    }
}
