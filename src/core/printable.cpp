#include "heapwright/core/printable.hpp"

#include <cstdint>

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

void add_line(std::string_view text, bool keeps_tabs, std::string& result) {
    // Whoever looks for commands skips blanks before them.
    const std::size_t start = text.find_first_not_of(" \t");
    const std::size_t command =
        start != std::string_view::npos && text.substr(start).starts_with("::") ? start : text.size();
    for (std::size_t at = 0; at < text.size();) {
        if (at == command) result += '\\';
        const Character next = character_at(text.substr(at));
        if (next.bytes == 0) {
            result += fmt::format("\\x{:02x}", static_cast<unsigned char>(text[at++]));
            continue;
        }
        if (text.substr(at).starts_with("##[")) {
            result += "#\\";
            ++at;
            continue;
        }
        if (is_harmful(next.code) && !(keeps_tabs && next.code == '\t'))
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
    add_line(text, false, result);
    return result;
}

std::string printable_lines(std::string_view text) {
    std::string result;
    result.reserve(text.size());
    while (!text.empty()) {
        const std::size_t end = text.find('\n');
        add_line(text.substr(0, end), true, result);
        if (end == std::string_view::npos) break;
        result += '\n';
        text.remove_prefix(end + 1);
    }
    return result;
}

}  // namespace heapwright
