#include <catch2/catch_test_macros.hpp>

#include <string>

#include "core/utf8.hpp"

using namespace heapwright;

TEST_CASE("a driver's text becomes UTF-8, and stays as it is where it is that") {
    CHECK(well_formed_utf8("").empty());
    CHECK(well_formed_utf8("AMD Radeon\xe2\x84\xa2 \xf0\x9f\x99\x82") == "AMD Radeon\xe2\x84\xa2 \xf0\x9f\x99\x82");
    CHECK(well_formed_utf8("a\xff\xc3(") == "a\xef\xbf\xbd\xef\xbf\xbd(");
    CHECK(well_formed_utf8("\xc0\x80") == "\xef\xbf\xbd\xef\xbf\xbd");  // an overlong zero
    CHECK(well_formed_utf8("\xed\xa0\x80").size() == 9);                // half of a surrogate pair
    CHECK(well_formed_utf8("\xf0\x9f\x99").size() == 9);                // cut short
    CHECK(well_formed_utf8(well_formed_utf8("x\xfe\xe2y")) == well_formed_utf8("x\xfe\xe2y"));
}

TEST_CASE("an array without a zero is read to its end and no further") {
    const char whole[4] = {'a', 'b', 'c', 'd'};
    CHECK(driver_text(whole) == "abcd");
    const char shorter[4] = {'a', '\0', 'c', 'd'};
    CHECK(driver_text(shorter) == "a");
}
