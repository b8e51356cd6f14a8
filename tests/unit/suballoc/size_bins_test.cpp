#include <catch2/catch_test_macros.hpp>

#include "heapwright/suballoc/detail/size_bins.hpp"

using namespace heapwright::suballoc::detail;

TEST_CASE("bins are ordered, cover every size and begin where they say") {
    STATIC_CHECK(bin_of(1) == 1);
    STATIC_CHECK(bin_of(63) == 63);
    STATIC_CHECK(bin_of(64) == 64);
    STATIC_CHECK(bin_of(65) == 64);
    STATIC_CHECK(bin_of(~0ull) == kBinCount - 1);
    for (std::uint32_t bin = 1; bin < kBinCount; ++bin) {
        REQUIRE(bin_of(bin_begin(bin)) == bin);
        if (bin > 1) REQUIRE(bin_of(bin_begin(bin) - 1) == bin - 1);
    }
}

TEST_CASE("the bitmap finds the next filled bin across words") {
    BinBitmap bins;
    CHECK(bins.first_from(0) == BinBitmap::kNoBin);
    bins.set(3);
    bins.set(63);
    bins.set(kBinCount - 1);
    CHECK(bins.first_from(0) == 3);
    CHECK(bins.first_from(4) == 63);
    CHECK(bins.first_from(64) == kBinCount - 1);
    CHECK(bins.first_from(kBinCount) == BinBitmap::kNoBin);
    bins.clear(kBinCount - 1);
    CHECK(bins.first_from(64) == BinBitmap::kNoBin);
    bins.clear(3);
    CHECK(bins.first_from(0) == 63);
}
