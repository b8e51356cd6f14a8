#include "compare/matrix_pairs.hpp"

#include <algorithm>
#include <map>

namespace heapwright::compare {
namespace {

bool is_digit(char c) {
    return c >= '0' && c <= '9';
}

bool is_letter(char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z');
}

// deb-version(7): a tilde before the end, the end before letters, letters before all else.
int rank(std::string_view text) {
    if (text.empty() || is_digit(text.front())) return 0;
    if (text.front() == '~') return -1;
    return is_letter(text.front()) ? text.front() : text.front() + 256;
}

// Takes the number that `text` begins with, without leading zeros.
std::string_view take_number(std::string_view& text) {
    text.remove_prefix(std::min(text.find_first_not_of('0'), text.size()));
    const auto end = std::ranges::find_if_not(text, is_digit);
    const auto length = static_cast<std::size_t>(end - text.begin());
    const std::string_view number = text.substr(0, length);
    text.remove_prefix(length);
    return number;
}

int compare_versions(std::string_view a, std::string_view b) {
    while (!a.empty() || !b.empty()) {
        while ((!a.empty() && !is_digit(a.front())) || (!b.empty() && !is_digit(b.front()))) {
            if (rank(a) != rank(b)) return rank(a) - rank(b);
            a.remove_prefix(1);
            b.remove_prefix(1);
        }
        const std::string_view first = take_number(a);
        const std::string_view second = take_number(b);
        if (first.size() != second.size()) return first.size() < second.size() ? -1 : 1;
        if (const int order = first.compare(second); order != 0) return order;
    }
    return 0;
}

// "radv-navi10" of "radv-navi10-22.3.6".
std::string without_version(const std::string& name) {
    if (name == "wine-over-lavapipe") return "lavapipe";
    for (std::size_t dash = name.rfind('-'); dash != std::string::npos && dash != 0; dash = name.rfind('-', dash - 1)) {
        if (dash + 1 < name.size() && is_digit(name[dash + 1])) return name.substr(0, dash);
    }
    return name;
}

std::optional<std::string> first_with(const std::vector<std::string>& names, std::string_view prefix) {
    const auto found = std::ranges::find_if(names, [&](const std::string& name) { return name.starts_with(prefix); });
    return found == names.end() ? std::nullopt : std::optional(*found);
}

}  // namespace

bool version_less(std::string_view a, std::string_view b) {
    const int order = compare_versions(a, b);
    return order != 0 ? order < 0 : a < b;
}

VersionPairs version_pairs(std::vector<std::string> names) {
    std::ranges::sort(names, version_less);
    VersionPairs pairs;
    std::map<std::string, std::string> oldest;
    for (const std::string& name : names) {
        const auto [entry, is_first] = oldest.try_emplace(without_version(name), name);
        if (!is_first) pairs.versions.emplace_back(entry->second, name);
    }
    const auto amd = first_with(names, "radv-navi10-");
    const auto intel = first_with(names, "anv-kbl-");
    if (amd && intel) pairs.across = {*amd, *intel};
    return pairs;
}

BaselinePairs baseline_pairs(std::vector<std::string> names, std::vector<std::string> baseline) {
    std::ranges::sort(names);
    std::ranges::sort(baseline);
    BaselinePairs pairs;
    for (const std::string& name : names) {
        (std::ranges::binary_search(baseline, name) ? pairs.both : pairs.only_new).push_back(name);
    }
    for (const std::string& name : baseline) {
        if (!std::ranges::binary_search(names, name)) pairs.only_baseline.push_back(name);
    }
    return pairs;
}

}  // namespace heapwright::compare
