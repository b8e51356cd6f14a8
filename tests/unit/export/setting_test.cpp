#include "export/setting.hpp"

#include <catch2/catch_test_macros.hpp>

#include <limits>

using namespace heapwright::exporting;

namespace {

constexpr Setting kSize{.key = "size",
                        .unit = "bytes",
                        .source = "",
                        .by_default = "",
                        .least = 4u << 20,
                        .most = 256u << 20,
                        .rounding = Rounding::kUp,
                        .multiple = 4u << 20};
constexpr Setting kMegabytes{.key = "size_mb",
                             .unit = "MiB",
                             .source = "",
                             .by_default = "",
                             .unit_size = 1u << 20,
                             .rounding = Rounding::kDown};
constexpr Setting kBlock{
    .key = "block", .unit = "bytes", .source = "", .by_default = "", .least = 1, .rounding = Rounding::kPowerOfTwoDown};

}  // namespace

TEST_CASE("a value that fits stays and changes nothing") {
    const Applied applied = apply(kSize, 64u << 20);
    CHECK(applied.value == 64u << 20);
    CHECK(applied.changes.empty());
}

TEST_CASE("rounding and clamping are told one by one, with the values") {
    const Applied small = apply(kSize, (1u << 20) + 1);
    CHECK(small.value == 4u << 20);
    REQUIRE(small.changes.size() == 1);
    CHECK(small.changes[0] == "1048577 bytes rounded up to 4194304 bytes (up to a multiple of 4194304)");

    const Applied large = apply(kSize, (300u << 20) + 1);
    CHECK(large.value == 256u << 20);
    REQUIRE(large.changes.size() == 2);
    CHECK(large.changes[1] == "318767104 bytes held down to 268435456 bytes, the most that the setting takes");

    const Applied none = apply(kSize, 0);
    CHECK(none.value == 4u << 20);
    REQUIRE(none.changes.size() == 1);
    CHECK(none.changes[0] == "0 bytes raised to 4194304 bytes, the least that the setting takes");
}

TEST_CASE("units convert up unless the rule is to round down") {
    const Applied down = apply(kMegabytes, (3u << 20) - 1);
    CHECK(down.value == 2);
    REQUIRE(down.changes.size() == 1);
    CHECK(down.changes[0] == "3145727 is no whole number of MiB: rounded down to 2 MiB");
    Setting up = kMegabytes;
    up.rounding = Rounding::kUp;
    CHECK(apply(up, (2u << 20) + 1).value == 3);
}

TEST_CASE("a power of two is the one below") {
    CHECK(apply(kBlock, 33'554'431).value == 16'777'216);
    CHECK(apply(kBlock, 33'554'432).changes.empty());
    CHECK(apply(kBlock, 0).value == 1);
}

TEST_CASE("the largest values do not wrap") {
    constexpr std::uint64_t kMost = std::numeric_limits<std::uint64_t>::max();
    Setting up = kSize;
    up.most = kMost;
    const Applied applied = apply(up, kMost);
    CHECK(applied.value % up.multiple == 0);
    CHECK(applied.value > kMost - up.multiple);
}

TEST_CASE("the table's words for range and rounding") {
    CHECK(range_text(kSize) == "4194304 to 268435456");
    CHECK(range_text(kMegabytes) == "any");
    CHECK(range_text(kBlock) == "1 and more");
    CHECK(rounding_text(kSize) == "up to a multiple of 4194304");
    CHECK(rounding_text(kMegabytes) == "down to a whole number");
    CHECK(rounding_text(kBlock) == "down to a power of two");
}
