#include "core/text.hpp"

#include <algorithm>
#include <array>
#include <cctype>
#include <charconv>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>

#include <fmt/format.h>

#include "core/checked.hpp"

namespace heapwright {

namespace {

// The bytes of a unit, or nothing where there is no such unit.
std::optional<std::uint64_t> unit_bytes(std::string unit) {
    constexpr std::string_view kPrefixes = "kmgtpe";
    std::ranges::transform(unit, unit.begin(), [](unsigned char letter) { return std::tolower(letter); });
    if (unit.empty() || unit == "b") return 1;
    const std::size_t power = kPrefixes.find(unit.front());
    const std::string_view rest = std::string_view(unit).substr(1);
    if (power == std::string_view::npos || (!rest.empty() && rest != "b" && rest != "ib")) return std::nullopt;
    return 1ull << (10 * (power + 1));
}

}  // namespace

std::string byte_text(std::uint64_t bytes) {
    constexpr std::array<std::string_view, 6> kUnits{"KiB", "MiB", "GiB", "TiB", "PiB", "EiB"};
    if (bytes < 1024) return counted(bytes, "byte");
    auto scaled = static_cast<double>(bytes);
    std::string_view unit;
    for (const std::string_view next : kUnits) {
        if (scaled < 1024) break;
        scaled /= 1024;
        unit = next;
    }
    return fmt::format("{:.4g} {}", scaled, unit);
}

Result<std::uint64_t> parse_byte_count(std::string_view text) {
    const auto refuse = [&](ErrorCode code, std::string_view why) {
        return fail(code, fmt::format("'{}' {}", text, why));
    };
    constexpr std::string_view kExpected = "is no size as 4096, 512MiB or 1.5GiB";
    const char* const end = text.data() + text.size();
    std::uint64_t whole = 0;
    auto [next, error] = std::from_chars(text.data(), end, whole);
    if (error == std::errc::result_out_of_range) return refuse(ErrorCode::kOutOfRange, "does not fit 64 bits");
    if (error != std::errc{}) return refuse(ErrorCode::kInvalidArgument, kExpected);
    double fraction = 0;
    if (next != end && *next == '.') {
        const auto digits = std::from_chars(next, end, fraction, std::chars_format::fixed);
        if (digits.ec != std::errc{}) return refuse(ErrorCode::kInvalidArgument, kExpected);
        next = digits.ptr;
    }
    if (next != end && *next == ' ') ++next;
    const auto factor = unit_bytes(std::string(next, end));
    if (!factor) return refuse(ErrorCode::kInvalidArgument, kExpected);
    const auto product = checked_mul(whole, *factor);
    const auto bytes = product
                           ? checked_add(*product, static_cast<std::uint64_t>(fraction * static_cast<double>(*factor)))
                           : std::nullopt;
    if (!bytes) return refuse(ErrorCode::kOutOfRange, "does not fit 64 bits");
    return *bytes;
}

std::string last_line(std::string_view text) {
    const std::size_t end = text.find_last_not_of(" \t\r\n");
    if (end == std::string_view::npos) return {};
    text = text.substr(0, end + 1);
    const std::size_t start = text.find_last_of("\r\n");
    return std::string(start == std::string_view::npos ? text : text.substr(start + 1));
}

std::string share_text(double share) {
    constexpr double kWhole = 99.95;  // of three digits none is a part
    const double percent = 100 * share;
    if (percent > 0 && percent < 0.01) return "less than 0.01%";
    if (percent >= kWhole && share < 1) return "over 99.9%";
    return std::abs(percent) >= kWhole ? fmt::format("{:.0f}%", percent) : fmt::format("{:.3g}%", percent);
}

std::string time_text(double ns) {
    constexpr double kStep = 1e3;
    constexpr double kRoundsUp = 0.99995;  // to the next unit, of four digits
    double value = ns;
    for (const char* unit : {"ns", "us", "ms"}) {
        if (std::abs(value) < kStep * kRoundsUp) return fmt::format("{:.4g} {}", value, unit);
        value /= kStep;
    }
    return value < kStep ? fmt::format("{:.4g} s", value) : fmt::format("{:.0f} s", value);
}

std::string shell_argument(std::string_view text) {
    constexpr std::string_view kPlain = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789._-+/:=,@";
    if (!text.empty() && text.find_first_not_of(kPlain) == std::string_view::npos && text.front() != '-')
        return std::string(text);
    std::string quoted = "'";
    for (const char c : text) {
        if (c == '\'')
            quoted += "'\\''";
        else
            quoted += c;
    }
    return quoted + "'";
}

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
        const std::size_t edits = distance(text, word.substr(0, kLongest));
        if (edits > std::max<std::size_t>(1, std::max(text.size(), word.size()) / kLettersAnEdit)) continue;
        if (!nearest.empty() && edits >= smallest) continue;
        nearest = word;
        smallest = edits;
    }
    return nearest;
}

std::string nearest_word_hint(std::string_view text, std::span<const std::string_view> words) {
    const std::string_view nearest = nearest_word(text, words);
    return nearest.empty() ? std::string() : "; the nearest is \"" + std::string(nearest) + "\"";
}

namespace {

struct Character {
    std::uint32_t code = 0;
    std::size_t bytes = 0;  // 0: no UTF-8
};

Character character_at(std::string_view text) {
    const auto byte = [&](std::size_t at) { return static_cast<std::uint32_t>(static_cast<unsigned char>(text[at])); };
    const std::uint32_t lead = byte(0);
    if (lead < 0x80) return {lead, 1};
    const std::size_t bytes = lead >= 0xf0 && lead < 0xf5   ? 4
                              : lead >= 0xe0 && lead < 0xf0 ? 3
                              : lead >= 0xc2 && lead < 0xe0 ? 2
                                                            : 0;
    if (bytes == 0 || bytes > text.size()) return {};
    std::uint32_t code = lead & (0x7fu >> bytes);
    for (std::size_t at = 1; at < bytes; ++at) {
        if ((byte(at) & 0xc0u) != 0x80u) return {};
        code = code << 6 | (byte(at) & 0x3fu);
    }
    constexpr std::uint32_t kLeast[] = {0, 0, 0x80, 0x800, 0x10000};
    if (code < kLeast[bytes] || code > 0x10ffff || (code >= 0xd800 && code < 0xe000)) return {};
    return {code, bytes};
}

bool is_harmful(std::uint32_t code) {
    if (code < 0x20 || code == 0x7f || (code >= 0x80 && code < 0xa0)) return true;
    const bool is_separator = code == 0x2028 || code == 0x2029;
    const bool is_direction = code == 0x061c || code == 0x200e || code == 0x200f ||
                              (code >= 0x202a && code <= 0x202e) || (code >= 0x2066 && code <= 0x2069);
    return is_separator || is_direction || code == 0xfeff || (code & 0xfffe) == 0xfffe;
}

std::string escaped(std::uint32_t code) {
    switch (code) {
        case '\n': return "\\n";
        case '\r': return "\\r";
        case '\t': return "\\t";
        default: return code < 0x80 ? fmt::format("\\x{:02x}", code) : fmt::format("\\u{:04x}", code);
    }
}

struct Range {
    std::uint32_t first;
    std::uint32_t last;
};

bool is_in(std::span<const Range> ranges, std::uint32_t code) {
    return std::ranges::any_of(ranges, [&](const Range& range) { return code >= range.first && code <= range.last; });
}

// Readers of logs trim blanks, and compare without what is not seen at all.
constexpr Range kBlanks[] = {{0x09, 0x09},     {0x20, 0x20},     {0xa0, 0xa0},     {0x1680, 0x1680},
                             {0x2000, 0x200a}, {0x202f, 0x202f}, {0x205f, 0x205f}, {0x3000, 0x3000}};
constexpr Range kUnseen[] = {{0xad, 0xad},     {0x34f, 0x34f},   {0x115f, 0x1160},  {0x17b4, 0x17b5},
                             {0x180b, 0x180f}, {0x200b, 0x200d}, {0x2060, 0x206f},  {0x3164, 0x3164},
                             {0xfe00, 0xfe0f}, {0xffa0, 0xffa0}, {0xe0000, 0xe0fff}};

// Where the first character stands that is in none of the ranges.
std::size_t behind(std::string_view text, std::span<const Range> ranges, std::span<const Range> others = {}) {
    std::size_t at = 0;
    while (at < text.size()) {
        const Character next = character_at(text.substr(at));
        if (next.bytes == 0 || (!is_in(ranges, next.code) && !is_in(others, next.code))) break;
        at += next.bytes;
    }
    return at;
}

// Whether the text begins with these words, whatever unseen stands between their letters, and in capitals too.
bool reads_as(std::string_view text, std::string_view words) {
    const auto lower = [](char c) { return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c; };
    for (const char wanted : words) {
        if (text.empty() || lower(text.front()) != wanted) return false;
        text.remove_prefix(1);
        text.remove_prefix(behind(text, kUnseen));
    }
    return true;
}

// How many bytes stand before the backslash that breaks a command which a reader of logs takes anywhere in a line; 0
// where none begins. Azure Pipelines: "##vso[", "##[" (agent, Command.cs), as the GitHub runner's first form
// (ActionCommand.cs). TeamCity: "##teamcity[". Travis CI: "travis_fold:start:", of which its page takes the end
// (travis-web, log-content). GitLab's "section_start:" needs "\r\x1b[0K" behind it, which never comes through.
std::size_t command_break(std::string_view text) {
    if (text.front() == '#') {
        for (const char* words : {"##[", "##vso[", "##teamcity["})
            if (reads_as(text, words)) return 1;
    }
    for (const std::string_view words : {"fold:start:", "fold:end:", "time:start:", "time:end:"})
        if (text.starts_with(words)) return words.find(':');
    return 0;
}

// The same at the start of a line, where a backslash goes before it. GitHub: "::" behind blanks (ActionCommand.cs);
// Buildkite: three of -, + or ~, or "^^^ +++", and a blank (agent, header_times_streamer.go). A name may end where its
// line goes on.
std::size_t line_command(std::string_view line, bool is_name) {
    const std::size_t start = behind(line, kBlanks, kUnseen);
    if (reads_as(line.substr(start), "::")) return start;
    for (const char* header : {"---", "+++", "~~~", "^^^"}) {
        if (!line.starts_with(header)) continue;
        const std::string_view rest = line.substr(3);
        if (rest.empty() ? is_name : behind(rest, kBlanks) != 0) return 0;
    }
    return std::string_view::npos;
}

void add_line(std::string_view text, bool is_name, std::string& result) {
    const std::size_t command = line_command(text, is_name);
    for (std::size_t at = 0; at < text.size();) {
        if (at == command) result += '\\';
        const Character next = character_at(text.substr(at));
        if (next.bytes == 0) {
            result += fmt::format("\\x{:02x}", static_cast<unsigned char>(text[at++]));
            continue;
        }
        if (const std::size_t kept = command_break(text.substr(at)); kept != 0) {
            result += text.substr(at, kept);
            result += '\\';
            at += kept;
            continue;
        }
        if (is_harmful(next.code) && (is_name || next.code != '\t'))
            result += escaped(next.code);
        else
            result += text.substr(at, next.bytes);
        at += next.bytes;
    }
}

}  // namespace

std::string printable(std::string_view text) {
    std::string result;
    result.reserve(text.size());
    add_line(text, true, result);
    return result;
}

std::string printable_lines(std::string_view text) {
    std::string result;
    result.reserve(text.size());
    while (!text.empty()) {
        const std::size_t end = text.find('\n');
        add_line(text.substr(0, end), false, result);
        if (end == std::string_view::npos) break;
        result += '\n';
        text.remove_prefix(end + 1);
    }
    return result;
}

}  // namespace heapwright
