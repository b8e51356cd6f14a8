#include "heapwright/render/human_units.hpp"

#include <fmt/format.h>

#include <cctype>
#include <charconv>
#include <optional>

#include "heapwright/core/byte_text.hpp"

namespace heapwright::render {
namespace {

constexpr double kSmallestBytes = 1024;

bool is_digit(char letter) {
    return std::isdigit(static_cast<unsigned char>(letter)) != 0;
}
bool is_word(char letter) {
    return std::isalnum(static_cast<unsigned char>(letter)) != 0 || letter == '_';
}

// The number that `text` begins with, and how long it is.
struct Number {
    double value = 0;
    std::size_t length = 0;
};

Number number_at(std::string_view text) {
    Number number;
    while (number.length < text.size() && is_digit(text[number.length])) ++number.length;
    if (number.length + 1 < text.size() && text[number.length] == '.' && is_digit(text[number.length + 1])) {
        ++number.length;
        while (number.length < text.size() && is_digit(text[number.length])) ++number.length;
    }
    std::from_chars(text.data(), text.data() + number.length, number.value);
    return number;
}

bool begins_with_word(std::string_view text, std::string_view word) {
    return text.starts_with(word) && (text.size() == word.size() || !is_word(text[word.size()]));
}

std::string span_text(double ns) {
    if (ns < 1e3) return fmt::format("{:.4g} ns", ns);
    if (ns < 1e6) return fmt::format("{:.4g} us", ns / 1e3);
    return fmt::format("{:.4g} ms", ns / 1e6);
}

// What stands for a number with its unit, and how much of `rest`, which follows the number, it replaces.
struct Replacement {
    std::string text;
    std::size_t length = 0;
};

std::optional<Replacement> replace(double value, std::string_view rest) {
    if (begins_with_word(rest, " ns")) return Replacement{span_text(value), 3};
    if (begins_with_word(rest, " us")) return Replacement{span_text(value * 1e3), 3};
    if (value < kSmallestBytes) return std::nullopt;
    const std::string bytes = byte_text(static_cast<std::uint64_t>(value));
    if (begins_with_word(rest, " bytes")) return Replacement{bytes, 6};
    constexpr std::string_view kUsable = " usable bytes";
    if (begins_with_word(rest, kUsable)) return Replacement{bytes + " usable", kUsable.size()};
    return std::nullopt;
}

}  // namespace

std::string in_units(std::string_view text) {
    std::string out;
    for (std::size_t at = 0; at < text.size();) {
        const bool begins = is_digit(text[at]) && (at == 0 || (!is_word(text[at - 1]) && text[at - 1] != '.'));
        if (!begins) {
            out += text[at++];
            continue;
        }
        const Number number = number_at(text.substr(at));
        const auto replacement = replace(number.value, text.substr(at + number.length));
        out += replacement ? replacement->text : std::string(text.substr(at, number.length));
        at += number.length + (replacement ? replacement->length : 0);
    }
    return out;
}

}  // namespace heapwright::render
