#include <catch2/catch_test_macros.hpp>

#include "core/text.hpp"

using namespace heapwright;

TEST_CASE("one alone is no plural") {
    CHECK(counted(0, "chunk") == "0 chunks");
    CHECK(counted(1, "chunk") == "1 chunk");
    CHECK(counted(2, "chunk") == "2 chunks");
    CHECK(counted(~0ull, "chunk") == "18446744073709551615 chunks");
    CHECK(counted(1, "of its sizes is", "of its sizes are") == "1 of its sizes is");
    CHECK(counted(21, "of its sizes is", "of its sizes are") == "21 of its sizes are");
    CHECK(each_counted(1, "its", "bucket") == "its one bucket");
    CHECK(each_counted(3, "the", "bucket") == "each of the 3 buckets");
    CHECK(byte_text(1) == "1 byte");
    CHECK(byte_text(0) == "0 bytes");
}

TEST_CASE("the last line is the last that says something") {
    CHECK(last_line("").empty());
    CHECK(last_line("\n \n").empty());
    CHECK(last_line("one") == "one");
    CHECK(last_line("one\r\ntwo  \r\n\n") == "two");
}
