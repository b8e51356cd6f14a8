#include <algorithm>
#include <string>
#include <vector>

#include <catch2/catch_test_macros.hpp>

#include "compare/matrix_pairs.hpp"

using namespace heapwright::compare;

TEST_CASE("versions are ordered by their numbers, whatever the number of digits") {
    const std::vector<std::string> ordered{"anv-kbl-9.0.1", "anv-kbl-22.3.6", "anv-kbl-22.3.10", "anv-kbl-25.0.7",
                                           "radv-navi9-25", "radv-navi10-1",  "radv-navi10-1a",  "radv-navi10-1.1"};
    for (std::size_t a = 0; a < ordered.size(); ++a) {
        for (std::size_t b = 0; b < ordered.size(); ++b) {
            INFO(ordered[a] << " " << ordered[b]);
            CHECK(version_less(ordered[a], ordered[b]) == (a < b));
        }
    }
    // Equal numbers, but not the same name: still an order.
    CHECK(version_less("a-01", "a-1"));
    CHECK_FALSE(version_less("a-1", "a-01"));
    CHECK(version_less("a-1~rc1", "a-1"));
}

TEST_CASE("each driver's oldest version is the baseline of its newer ones") {
    const VersionPairs pairs = version_pairs({"lavapipe-25.0.7", "lavapipe-9.1", "lavapipe-22.3.6", "swiftshader",
                                              "vkd3d-over-lavapipe-25.0.7", "vkd3d-over-lavapipe-22.3.6"});
    CHECK(pairs.versions == std::vector<NamePair>{{"lavapipe-9.1", "lavapipe-22.3.6"},
                                                  {"lavapipe-9.1", "lavapipe-25.0.7"},
                                                  {"vkd3d-over-lavapipe-22.3.6", "vkd3d-over-lavapipe-25.0.7"}});
    CHECK_FALSE(pairs.across);
}

TEST_CASE("played GPUs are drivers of their own, and NAVI10 stands beside Kaby Lake") {
    const VersionPairs pairs =
        version_pairs({"radv-navi21-22.3.6", "radv-navi10-25.0.7", "anv-kbl-25.0.7", "radv-navi10-22.3.6"});
    CHECK(pairs.versions == std::vector<NamePair>{{"radv-navi10-22.3.6", "radv-navi10-25.0.7"}});
    CHECK(pairs.across == NamePair{"radv-navi10-22.3.6", "anv-kbl-25.0.7"});
}

TEST_CASE("the Windows program is compared with the lavapipe beneath it") {
    CHECK(version_pairs({"wine-over-lavapipe", "lavapipe-22.3.6"}).versions ==
          std::vector<NamePair>{{"lavapipe-22.3.6", "wine-over-lavapipe"}});
    CHECK(version_pairs({"wine-over-lavapipe"}).versions.empty());
}

TEST_CASE("with a baseline, what only one of the two has is named") {
    const BaselinePairs pairs = baseline_pairs({"b", "a", "new"}, {"gone", "a", "b"});
    CHECK(pairs.both == std::vector<std::string>{"a", "b"});
    CHECK(pairs.only_new == std::vector<std::string>{"new"});
    CHECK(pairs.only_baseline == std::vector<std::string>{"gone"});
}
