#include <catch2/catch_test_macros.hpp>

#include <array>
#include <string>

#include "core/text.hpp"

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
}

TEST_CASE("where nothing is near, nothing is named") {
    constexpr std::array<std::string_view, 4> kMembers{"usage", "lifetime", "host_access", "smallest_bytes"};
    CHECK(nearest_word("hot_reload", kMembers).empty());
    CHECK(nearest_word("priority", kMembers).empty());
    CHECK(nearest_word_hint("hot_reload", kMembers).empty());
    CHECK(nearest_word("host_acess", kMembers) == "host_access");
    CHECK(nearest_word("lifetimes", kMembers) == "lifetime");
    constexpr std::array<std::string_view, 3> kPresets{"2d-ui", "compute-inference", "desktop-app"};
    CHECK(nearest_word("none.json", kPresets).empty());
    CHECK(nearest_word("my-workload.json", kPresets).empty());
    CHECK(nearest_word("", kPresets).empty());
    CHECK(nearest_word(std::string(1 << 20, 'a'), kPresets).empty());
}

TEST_CASE("a word with a prefix and a suffix is found in the text, whole") {
    constexpr std::array<std::string_view, 4> kWords{"STORAGE", "SAMPLED", "COLOR_ATTACHMENT", "INPUT_ATTACHMENT"};
    CHECK(nearest_word("VK_IMAGE_USAGE_SAMPLED_BIT", kWords) == "SAMPLED");
    CHECK(nearest_word("vk-image-usage-color-attachment-bit", kWords) == "COLOR_ATTACHMENT");
    CHECK(nearest_word("VK_IMAGE_USAGE_RESAMPLED_ELSEWHERE", kWords).empty());
}
