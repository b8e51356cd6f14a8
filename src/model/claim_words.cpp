#include "model/claim_words.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cctype>
#include <cmath>

#include "core/text.hpp"
#include "model/claims.hpp"

namespace heapwright::model {
namespace {

constexpr auto kWords = std::to_array<std::string_view>({
#define HEAPWRIGHT_CLAIM(id, words) words,
#include "model/detail/claims/all.inc"
#undef HEAPWRIGHT_CLAIM
});

// "kChunkLeastOf" as "chunk_least_of".
std::string document_name(std::string_view enumerator) {
    std::string name;
    for (const char letter : enumerator.substr(1)) {
        const bool begins = std::isupper(static_cast<unsigned char>(letter)) != 0;
        if (begins && !name.empty()) name += '_';
        name += static_cast<char>(std::tolower(static_cast<unsigned char>(letter)));
    }
    return name;
}

const std::array<std::string, kWords.size()>& names() {
    static const std::array<std::string, kWords.size()> kNames{
#define HEAPWRIGHT_CLAIM(id, words) document_name(#id),
#include "model/detail/claims/all.inc"
#undef HEAPWRIGHT_CLAIM
    };
    return kNames;
}

std::string real_text(double value) {
    return fmt::format("{:.4g}", value);
}

double real_of(const Figure& figure) {
    const auto* whole = std::get_if<std::uint64_t>(&figure.value);
    return whole != nullptr ? static_cast<double>(*whole) : std::get<double>(figure.value);
}

// A sentence begins with a capital, a name of an API stays as it is.
void begin_sentence(std::string& sentence) {
    const std::string_view word = std::string_view(sentence).substr(0, sentence.find_first_of(" ,"));
    const bool is_plain = std::ranges::all_of(
        word, [](unsigned char letter) { return std::islower(letter) != 0 || letter == '\'' || letter == '-'; });
    if (is_plain) sentence.front() = static_cast<char>(std::toupper(static_cast<unsigned char>(sentence.front())));
}

}  // namespace

std::string text_of(const Figure& figure) {
    const auto* whole = std::get_if<std::uint64_t>(&figure.value);
    switch (figure.unit) {
        case Unit::kText: return std::get<std::string>(figure.value);
        case Unit::kCount: return whole != nullptr ? std::to_string(*whole) : real_text(real_of(figure));
        case Unit::kBytes: return byte_text(whole != nullptr ? *whole : 0);
        case Unit::kNanoseconds: return time_text(real_of(figure));
        case Unit::kShare: return share_text(real_of(figure));
        case Unit::kBytesPerSecond: return byte_text(static_cast<std::uint64_t>(real_of(figure))) + "/s";
    }
    return {};
}

std::string text_of(const Claim& claim) {
    const std::span<const Figure> figures = ClaimParts::figures(claim);
    const auto index = static_cast<std::size_t>(ClaimParts::id(claim));
    if (index == 0) return figures.empty() ? std::string() : text_of(figures.front());
    std::string_view words = kWords.at(index - 1);
    std::string text;
    for (const Figure& figure : figures) {
        const std::size_t open = words.find('{');
        const std::size_t close = words.find('}', open);
        const std::string_view noun = words.substr(open + 1, close - open - 1);
        text += words.substr(0, open);
        text += text_of(figure);
        if (!noun.empty()) {
            text += ' ';
            text += noun;
            if (figure.value != decltype(figure.value)(std::uint64_t{1})) text += 's';
        }
        words.remove_prefix(close + 1);
    }
    text += words;
    return text;
}

std::string text_of(const Statement& statement) {
    std::string text;
    for (const Claim& claim : statement.claims()) {
        std::string sentence = text_of(claim);
        if (sentence.empty()) continue;
        if (!text.empty()) {
            text += ". ";
            begin_sentence(sentence);
        }
        text += sentence;
    }
    return text;
}

std::vector<std::string> lines_of(const Statement& statement) {
    std::vector<std::string> lines;
    for (const Claim& claim : statement.claims()) lines.push_back(text_of(claim));
    return lines;
}

std::string with_reason(std::string message, const Statement& why) {
    if (!why.empty()) message += ": " + text_of(why);
    return message;
}

std::string_view name_of_claim(const Claim& claim) {
    const auto index = static_cast<std::size_t>(ClaimParts::id(claim));
    return index == 0 ? std::string_view() : names().at(index - 1);
}

std::optional<Claim> claim_of(std::string_view name, std::vector<Figure> figures) {
    for (std::size_t index = 0; index < names().size(); ++index) {
        if (names()[index] != name) continue;
        if (detail::kClaimSlots.at(index + 1) != figures.size()) return std::nullopt;
        return ClaimMaker::make(static_cast<ClaimId>(index + 1), std::move(figures));
    }
    return std::nullopt;
}

std::span<const std::string_view> words_of_claims() {
    return kWords;
}

}  // namespace heapwright::model
