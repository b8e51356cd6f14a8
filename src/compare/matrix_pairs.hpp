// Which reports of a matrix are compared with which, told by their names: those of the drivers. Pure and thread-safe.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace heapwright::compare {

// By version, as dpkg orders them: "mesa-9" before "mesa-22.3.6" before "mesa-25".
[[nodiscard]] bool version_less(std::string_view a, std::string_view b);

using NamePair = std::pair<std::string, std::string>;  // the baseline first

struct VersionPairs {
    // Each driver's oldest version with every newer one of its. Of Wine's it is lavapipe's oldest, which lies beneath.
    std::vector<NamePair> versions;
    // The AMD and the Intel GPU that the article "Vulkan Memory Allocation" shows, NAVI10 and Kaby Lake, in their
    // oldest versions: shown side by side.
    std::optional<NamePair> across;
};

[[nodiscard]] VersionPairs version_pairs(std::vector<std::string> names);

// A matrix and an earlier one of the same drivers; in the order of the names.
struct BaselinePairs {
    std::vector<std::string> both;
    std::vector<std::string> only_new;
    std::vector<std::string> only_baseline;
};

[[nodiscard]] BaselinePairs baseline_pairs(std::vector<std::string> names, std::vector<std::string> baseline);

}  // namespace heapwright::compare
