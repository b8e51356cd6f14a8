#include "core/nearest_word.hpp"

#include <algorithm>
#include <array>
#include <cstddef>

namespace heapwright {
namespace {

constexpr std::size_t kLongest = 64;
constexpr std::size_t kLettersAnEdit = 3;

char folded(char c) {
    if (c >= 'A' && c <= 'Z') return static_cast<char>(c - 'A' + 'a');
    return c == '-' ? '_' : c;
}

std::size_t distance(std::string_view a, std::string_view b) {
    using Row = std::array<std::size_t, kLongest + 1>;
    Row before{};
    Row last{};
    Row row{};
    for (std::size_t j = 0; j <= b.size(); ++j) last[j] = j;
    for (std::size_t i = 1; i <= a.size(); ++i) {
        row[0] = i;
        for (std::size_t j = 1; j <= b.size(); ++j) {
            const bool same = folded(a[i - 1]) == folded(b[j - 1]);
            row[j] = std::min({last[j] + 1, row[j - 1] + 1, last[j - 1] + (same ? 0u : 1u)});
            const bool exchanged =
                i > 1 && j > 1 && folded(a[i - 1]) == folded(b[j - 2]) && folded(a[i - 2]) == folded(b[j - 1]);
            if (exchanged) row[j] = std::min(row[j], before[j - 2] + 1);
        }
        before = last;
        last = row;
    }
    return last[b.size()];
}

bool holds(std::string_view word, std::string_view text) {
    return std::search(word.begin(), word.end(), text.begin(), text.end(),
                       [](char a, char b) { return folded(a) == folded(b); }) != word.end();
}

bool is_letter(char c) {
    const char f = folded(c);
    return (f >= 'a' && f <= 'z') || (f >= '0' && f <= '9');
}

// Whole words: "SAMPLED" in "VK_IMAGE_USAGE_SAMPLED_BIT".
bool holds_whole(std::string_view text, std::string_view word) {
    const auto alike = [](char a, char b) { return folded(a) == folded(b); };
    const auto found = std::search(text.begin(), text.end(), word.begin(), word.end(), alike);
    if (found == text.end()) return false;
    const auto end = found + static_cast<std::ptrdiff_t>(word.size());
    return (found == text.begin() || !is_letter(*(found - 1))) && (end == text.end() || !is_letter(*end));
}

std::string_view longest_held(std::string_view text, std::span<const std::string_view> words) {
    constexpr std::size_t kFewestLetters = 4;
    std::string_view longest;
    for (const std::string_view word : words) {
        if (word.size() >= kFewestLetters && word.size() > longest.size() && holds_whole(text, word)) longest = word;
    }
    return longest;
}

std::string_view shortest_holding(std::string_view text, std::span<const std::string_view> words) {
    constexpr std::size_t kFewestLetters = 3;
    std::string_view shortest;
    if (text.size() < kFewestLetters) return shortest;
    for (const std::string_view word : words) {
        if (holds(word, text) && (shortest.empty() || word.size() < shortest.size())) shortest = word;
    }
    return shortest;
}

}  // namespace

std::string_view nearest_word(std::string_view text, std::span<const std::string_view> words) {
    text = text.substr(0, kLongest);
    std::string_view nearest = shortest_holding(text, words);
    if (nearest.empty()) nearest = longest_held(text, words);
    if (!nearest.empty()) return nearest;
    std::size_t smallest = 0;
    for (const std::string_view word : words) {
        const std::size_t far = distance(text, word.substr(0, kLongest));
        if (far > std::max<std::size_t>(1, std::max(text.size(), word.size()) / kLettersAnEdit)) continue;
        if (!nearest.empty() && far >= smallest) continue;
        nearest = word;
        smallest = far;
    }
    return nearest;
}

std::string nearest_word_hint(std::string_view text, std::span<const std::string_view> words) {
    const std::string_view nearest = nearest_word(text, words);
    return nearest.empty() ? std::string() : "; the nearest is \"" + std::string(nearest) + "\"";
}

}  // namespace heapwright
