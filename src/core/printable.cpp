#include "core/printable.hpp"

#include <algorithm>
#include <cstdint>
#include <span>

#include <fmt/format.h>

namespace heapwright {
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
