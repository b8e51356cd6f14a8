#include <catch2/catch_test_macros.hpp>

#include "core/checked.hpp"

using namespace heapwright;

TEST_CASE("checked arithmetic reports what does not fit") {
    constexpr std::uint64_t kMax = ~0ull;
    CHECK(checked_add(kMax - 1, 1) == kMax);
    CHECK_FALSE(checked_add(kMax, 1));
    CHECK(checked_mul(1ull << 32, (1ull << 32) - 1) == (~0ull << 32));
    CHECK_FALSE(checked_mul(1ull << 32, 1ull << 32));
    CHECK(checked_mul(0, kMax) == 0);
    CHECK(checked_align_up(kMax - 4095, 4096) == kMax - 4095);
    CHECK_FALSE(checked_align_up(kMax - 100, 4096));
}

TEST_CASE("alignment rounds to the next and the previous multiple") {
    CHECK(align_up(0, 256) == 0);
    CHECK(align_up(1, 256) == 256);
    CHECK(align_up(256, 256) == 256);
    CHECK(align_down(511, 256) == 256);
    CHECK(div_ceil(0, 7) == 0);
    CHECK(div_ceil(1, 7) == 1);
    CHECK(div_ceil(7, 7) == 1);
}
