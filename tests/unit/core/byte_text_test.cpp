#include <catch2/catch_test_macros.hpp>

#include "core/text.hpp"

using namespace heapwright;

TEST_CASE("sizes are read as people write them") {
    CHECK(parse_byte_count("0").value() == 0);
    CHECK(parse_byte_count("4096").value() == 4096);
    CHECK(parse_byte_count("512MiB").value() == 512ull << 20);
    CHECK(parse_byte_count("512 mb").value() == 512ull << 20);
    CHECK(parse_byte_count("64k").value() == 64 << 10);
    CHECK(parse_byte_count("1.5GiB").value() == 3ull << 29);
    CHECK(parse_byte_count("0.5B").value() == 0);
    CHECK(parse_byte_count("18446744073709551615").value() == ~0ull);
    CHECK(parse_byte_count("15EiB").value() == 15ull << 60);
}

TEST_CASE("what is no size is refused, and what does not fit 64 bits") {
    for (const char* text :
         {"", "-1", "+1", "abc", "MiB", "1e9", "12 apples", "1MiBx", "1  MiB", "0x10", "1.MiB", "."}) {
        INFO(text);
        const auto refused = parse_byte_count(text);
        REQUIRE_FALSE(refused);
        CHECK(refused.error().code == ErrorCode::kInvalidArgument);
        CHECK(refused.error().message.find(text) != std::string::npos);
    }
    for (const char* text : {"18446744073709551616", "16EiB", "20000000000GiB"}) {
        INFO(text);
        const auto refused = parse_byte_count(text);
        REQUIRE_FALSE(refused);
        CHECK(refused.error().code == ErrorCode::kOutOfRange);
    }
}
