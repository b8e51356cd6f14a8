#include "model/format_word.hpp"

#include <algorithm>
#include <array>
#include <cctype>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "core/text.hpp"
#include "model/names.hpp"

namespace heapwright::model {
namespace {

using Words = std::vector<std::string>;

constexpr std::size_t kLongestFormatWord = 64;
constexpr std::string_view kDigits = "0123456789";
constexpr std::string_view kChannels = "RGBADSEX";

// Numeric formats and what other APIs write for them; "" says nothing.
constexpr std::array<std::pair<std::string_view, std::string_view>, 18> kNumericFormats{{
    {"UNORM", "UNORM"},
    {"SNORM", "SNORM"},
    {"USCALED", "USCALED"},
    {"SSCALED", "SSCALED"},
    {"UINT", "UINT"},
    {"UI", "UINT"},
    {"SINT", "SINT"},
    {"INT", "SINT"},
    {"I", "SINT"},
    {"UFLOAT", "UFLOAT"},
    {"UF16", "UFLOAT"},
    {"SHAREDEXP", "UFLOAT"},
    {"SFLOAT", "SFLOAT"},
    {"SF16", "SFLOAT"},
    {"SRGB", "SRGB"},
    {"FLOAT", "FLOAT"},
    {"F", "FLOAT"},
    {"TYPELESS", ""},
}};

constexpr std::array<std::string_view, 6> kChannelWords{"RED", "GREEN", "BLUE", "ALPHA", "DEPTH", "STENCIL"};

struct Spelling {
    Words channels;  // "R8"
    Words numeric;   // "UNORM"
    Words others;    // "BC7"
};

bool holds_word(const Words& words, std::string_view word) {
    return std::ranges::find(words, word) != words.end();
}

bool add_numeric(std::string_view piece, Spelling& spelling) {
    const auto* const found = std::ranges::find(kNumericFormats, piece, [](const auto& entry) { return entry.first; });
    if (found == kNumericFormats.end()) return false;
    if (!found->second.empty()) spelling.numeric.emplace_back(found->second);
    return true;
}

// "RGB10A2" is R10 G10 B10 A2, "RGB565" is R5 G6 B5. Gives what follows the channels.
std::string_view take_channels(std::string_view piece, Words& channels) {
    constexpr std::size_t kFewestOfOneDigitEach = 3;  // "RG32" is R32 G32
    while (true) {
        const std::size_t letters = std::min(piece.find_first_not_of(kChannels), piece.size());
        const std::size_t end = std::min(piece.find_first_not_of(kDigits, letters), piece.size());
        if (letters == 0 || end == letters) return piece;
        const std::string_view bits = piece.substr(letters, end - letters);
        const bool one_each = letters >= kFewestOfOneDigitEach && bits.size() == letters;
        for (std::size_t i = 0; i < letters; ++i) {
            channels.push_back(piece[i] + std::string(one_each ? bits.substr(i, 1) : bits));
        }
        piece.remove_prefix(end);
    }
}

void spell_piece(std::string_view piece, Spelling& spelling) {
    if (piece.empty() || piece == "VK" || piece == "GL" || add_numeric(piece, spelling)) return;
    if (piece.starts_with("SRGB")) {
        spelling.numeric.emplace_back("SRGB");
        return spell_piece(piece.substr(1), spelling);
    }
    Words channels;
    const std::string_view rest = take_channels(piece, channels);
    if (!channels.empty() && (rest.empty() || add_numeric(rest, spelling))) {
        spelling.channels.insert(spelling.channels.end(), channels.begin(), channels.end());
        return;
    }
    for (const auto& [word, numeric] : kNumericFormats) {
        if (word.size() > 3 && piece.ends_with(word)) {
            add_numeric(word, spelling);
            return spell_piece(piece.substr(0, piece.size() - word.size()), spelling);
        }
    }
    const std::size_t digit = piece.find_first_of(kDigits);
    const bool has_block = digit != 0 && digit != std::string_view::npos && piece.find('X', digit) < piece.size();
    if (has_block) spelling.others.emplace_back(piece.substr(0, digit));
    spelling.others.emplace_back(has_block ? piece.substr(digit) : piece);
}

Spelling spell(std::string_view name) {
    Spelling spelling;
    while (!name.empty()) {
        const auto letter = [](char c) { return std::isalnum(static_cast<unsigned char>(c)) != 0; };
        const auto end = static_cast<std::size_t>(std::ranges::find_if_not(name, letter) - name.begin());
        std::string piece(name.substr(0, end));
        for (const std::string_view word : kChannelWords) {
            if (piece.starts_with(word)) piece.erase(1, word.size() - 1);
        }
        spell_piece(piece, spelling);
        name.remove_prefix(std::min(end + 1, name.size()));
    }
    if (holds_word(spelling.numeric, "SRGB")) std::erase(spelling.numeric, "UNORM");
    return spelling;
}

// Padding, and words that tell a format from no other one.
bool is_padding(const std::string& channel) {
    return channel.starts_with('X');
}
bool says_nothing(const std::string& other) {
    return other == "BLOCK" || other == "IMG" || other.find("PACK") != std::string::npos;
}
bool is_order(const std::string& other) {
    return other == "RGB" || other == "RGBA" || other == "BGRA";
}

bool has_numeric(const Words& numeric, const std::string& wanted) {
    if (wanted == "FLOAT") return holds_word(numeric, "SFLOAT") || holds_word(numeric, "UFLOAT");
    return holds_word(numeric, wanted);
}

std::optional<int> channels_apart(Words ours, Words theirs) {
    const bool same_padding = ours == theirs;
    std::erase_if(ours, is_padding);
    std::erase_if(theirs, is_padding);
    if (!std::ranges::is_permutation(ours, theirs)) return std::nullopt;
    const int padding = same_padding ? 0 : 1;
    if (ours == theirs) return padding;
    return padding + (std::equal(ours.begin(), ours.end(), theirs.rbegin()) ? 1 : 2);
}

// What the format adds to the word; nothing where the word says what the format is not.
std::optional<int> apart(const Spelling& word, const Spelling& format) {
    auto sum = channels_apart(word.channels, format.channels);
    if (!sum) return std::nullopt;
    for (const std::string& numeric : word.numeric) {
        if (!has_numeric(format.numeric, numeric)) return std::nullopt;
    }
    if (word.numeric.empty() && !holds_word(format.numeric, "UNORM")) *sum += 2;
    for (const std::string& other : word.others) {
        if (holds_word(format.others, other) || says_nothing(other)) continue;
        if (!is_order(other)) return std::nullopt;
        ++*sum;
    }
    for (const std::string& other : format.others) {
        if (!holds_word(word.others, other) && !says_nothing(other)) *sum += 2;
    }
    return sum;
}

std::string in_capitals(std::string_view word) {
    std::string text(word.substr(0, kLongestFormatWord));
    for (char& c : text) c = static_cast<char>(std::toupper(static_cast<unsigned char>(c)));
    return text;
}

}  // namespace

std::optional<Format> format_from_word(std::string_view word) {
    constexpr std::string_view kPrefix = "FORMAT";  // VK_FORMAT_, DXGI_FORMAT_, MTLPixelFormat
    std::string text = in_capitals(word);
    const bool is_dxgi = text.starts_with("DXGI_");
    if (const std::size_t at = text.rfind(kPrefix); at != std::string::npos) text.erase(0, at + kPrefix.size());
    const Spelling spelled = spell(text);
    if (spelled.channels.empty() && std::ranges::all_of(spelled.others, is_order)) return std::nullopt;

    const FormatInfo* nearest = nullptr;
    std::pair<int, bool> least;
    for (const FormatInfo& format : all_formats()) {
        const bool is_foreign = format.dxgi_format == 0;
        if (is_dxgi && is_foreign) continue;
        const auto far = apart(spelled, spell(in_capitals(format.name)));
        if (!far || (nearest != nullptr && std::pair(*far, is_foreign) >= least)) continue;
        nearest = &format;
        least = {*far, is_foreign};
    }
    return nearest == nullptr ? std::nullopt : std::optional(nearest->format);
}

std::string nearest_format_hint(std::string_view word) {
    const auto meant = format_from_word(word);
    if (!meant) {
        std::string nearest(nearest_word(word, names_of<Format>()));
        if (nearest.empty()) return {};
        // Of a format of both kinds the plain one, unless the word asks for the other.
        const std::size_t at = nearest.find("SRGB");
        if (at != std::string::npos && in_capitals(word).find("SRGB") == std::string::npos) {
            std::string plain = nearest;
            plain.replace(at, 4, "UNORM");
            if (format_from_name(plain)) nearest = std::move(plain);
        }
        return fmt::format("; the nearest is \"{}\"", nearest);
    }
    return fmt::format("; the nearest is \"{}\"", info(*meant).name);
}

}  // namespace heapwright::model
