#include <catch2/catch_test_macros.hpp>

#include "device/timestamps.hpp"

using namespace heapwright;
using device::ns_between;

TEST_CASE("Timestamps are subtracted round the end of their clock, in both directions") {
    constexpr device::TimestampUnits kWhole{.valid_bits = 64, .period_ns = 1};
    CHECK(ns_between(100, 350, kWhole) == 250);
    CHECK(ns_between(350, 100, kWhole) == -250);
    CHECK(ns_between(~0ull - 9, 10, kWhole) == 20);
    for (const std::uint32_t bits : {32u, 36u, 48u, 63u}) {
        const device::TimestampUnits units{.valid_bits = bits, .period_ns = 52.5};
        const std::uint64_t last = (1ull << bits) - 1;
        CHECK(ns_between(last, 1, units) == 105);
        CHECK(ns_between(1, last, units) == -105);
        CHECK(ns_between(0, last / 2, units) == 52.5 * static_cast<double>(last / 2));
        CHECK(ns_between(7, 7, units) == 0);
    }
}
