#include <catch2/catch_test_macros.hpp>

#include <array>
#include <string>

#include "heapwright/core/nearest_word.hpp"

using namespace heapwright;

TEST_CASE("the nearest word is the one with the fewest edits, whatever its case and hyphens") {
    constexpr std::array<std::string_view, 4> kWords{"general-engine", "2d-ui", "compute-inference", "desktop-app"};
    CHECK(nearest_word("general_engin", kWords) == "general-engine");
    CHECK(nearest_word("2D_UI", kWords) == "2d-ui");
    CHECK(nearest_word("dekstop-app", kWords) == "desktop-app");
    CHECK(nearest_word("inference", kWords) == "compute-inference");
    CHECK(nearest_word_hint("dekstop-app", kWords) == "; the nearest is \"desktop-app\"");
}

TEST_CASE("a name cut short is nearer to the whole one than to a short word of other letters") {
    constexpr std::array<std::string_view, 3> kWords{"R8_UNORM", "BC7_UNORM_BLOCK_LONGER", "BC7_UNORM_BLOCK"};
    CHECK(nearest_word("bc7-unorm", kWords) == "BC7_UNORM_BLOCK");
    CHECK(nearest_word("BC7_UNROM_BLOCK", kWords) == "BC7_UNORM_BLOCK");
}

TEST_CASE("exchanged neighbours are one edit") {
    constexpr std::array<std::string_view, 2> kWords{"abxx", "ba"};
    CHECK(nearest_word("ab", kWords) == "ba");
}

TEST_CASE("of equally near words the first is named, of no words none") {
    constexpr std::array<std::string_view, 2> kWords{"ax", "ay"};
    CHECK(nearest_word("a", kWords) == "ax");
    CHECK(nearest_word("a", {}).empty());
    CHECK(nearest_word_hint("a", {}).empty());
    CHECK(nearest_word(std::string(1 << 20, 'a'), kWords) == "ax");
}
