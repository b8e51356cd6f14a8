// The lines of one screen: cut to its width, with marks and colour where the place shows them. What names of drivers
// and files hold is made harmless here (core/text.hpp), so that no line is anything but what the screen puts
// there.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "core/text.hpp"
#include "render/overview.hpp"

namespace heapwright::render::detail {

enum class Tone : std::uint8_t { kGood, kDoubtful, kBad, kPlain };

// Columns that UTF-8 text takes, one a code point.
[[nodiscard]] inline std::size_t columns_of(std::string_view text) {
    return static_cast<std::size_t>(
        std::ranges::count_if(text, [](char c) { return (static_cast<unsigned char>(c) & 0xc0u) != 0x80u; }));
}

// At most so many columns; what was cut ends with "...".
[[nodiscard]] inline std::string cut(std::string_view text, std::size_t columns) {
    if (columns_of(text) <= columns) return std::string(text);
    constexpr std::string_view kMore = "...";
    std::size_t end = 0;
    for (std::size_t seen = 0; end < text.size(); ++end) {
        const bool begins = (static_cast<unsigned char>(text[end]) & 0xc0u) != 0x80u;
        if (begins && seen++ == columns - kMore.size()) break;
    }
    return std::string(text.substr(0, end)) + std::string(kMore);
}

// Lines of at most kScreenColumns columns, broken at spaces: the first begins with `first`, the others as far to the
// right, at most so many.
[[nodiscard]] inline std::vector<std::string> wrapped(std::string_view text, std::string_view first,
                                                      std::size_t most_lines) {
    std::vector<std::string> lines;
    std::string line(first);
    const std::string indent(columns_of(first), ' ');
    while (!text.empty()) {
        const std::size_t end = std::min(text.find(' '), text.size());
        const std::string_view word = text.substr(0, end);
        const bool is_new = line.size() == first.size();
        if (!is_new && columns_of(line) + 1 + columns_of(word) > kScreenColumns) {
            if (lines.size() + 1 == most_lines) {
                line += ' ';
                line += text;
                break;
            }
            lines.push_back(std::exchange(line, indent + std::string(word)));
        } else {
            if (!is_new) line += ' ';
            line += word;
        }
        text.remove_prefix(std::min(end + 1, text.size()));
    }
    lines.push_back(cut(line, kScreenColumns));
    return lines;
}

// The first sentence or clause of a longer text; none ends within parentheses, which are left out where they would.
[[nodiscard]] inline std::string_view first_clause(std::string_view text) {
    std::string_view clause = text.substr(0, std::min(text.find("; "), text.find(". ")));
    while (std::ranges::count(clause, '(') > std::ranges::count(clause, ')'))
        clause = clause.substr(0, clause.rfind(" ("));
    return clause;
}

class Screen {
public:
    explicit Screen(const ScreenStyle& style) : style_(style) {}

    // One or two lines that begin with a mark: "ok", "note" or "FAILED" where there are no symbols.
    void verdict(Tone tone, std::string_view text) {
        for (const std::string& line : wrapped(printable(text), mark_of(tone), 2)) add(line, tone);
    }
    void title(std::string_view text) { add(cut(printable(text), kScreenColumns), Tone::kPlain, true); }
    // "  name     value", the values of a screen below each other.
    void row(std::string_view name, std::string_view value) {
        std::string line = "  " + printable(name);
        line.resize(std::max(line.size() + 2, kValueColumn), ' ');
        add(cut(line + printable(value), kScreenColumns), Tone::kPlain);
    }
    void line(std::string_view text) { add(cut(printable(text), kScreenColumns), Tone::kPlain); }
    // A command to copy: whole, whatever its length.
    void next(std::string_view command) { add("Next: " + printable(command), Tone::kPlain); }
    void blank() { lines_.emplace_back(); }

    // A table without frames: the first row is the head; numbers stand as they come. `most` rows below the head, the
    // rest is a count.
    void table(std::vector<std::vector<std::string>> rows, std::size_t most, std::string_view what) {
        for (auto& row : rows) {
            for (std::string& cell : row) cell = printable(cell);
        }
        std::vector<std::size_t> widths;
        const std::size_t shown = std::min(rows.size(), most + 1);
        for (std::size_t row = 0; row < shown; ++row) {
            widths.resize(std::max(widths.size(), rows[row].size()));
            for (std::size_t column = 0; column < rows[row].size(); ++column)
                widths[column] = std::max(widths[column], columns_of(rows[row][column]));
        }
        for (std::size_t row = 0; row < shown; ++row) {
            std::string text = "  ";
            for (std::size_t column = 0; column < rows[row].size(); ++column) {
                text += rows[row][column];
                if (column + 1 != rows[row].size())
                    text += std::string(widths[column] - columns_of(rows[row][column]) + 2, ' ');
            }
            add(cut(text, kScreenColumns), Tone::kPlain, row == 0);
        }
        if (rows.size() > shown)
            line("  and " + std::to_string(rows.size() - shown) + " more " + std::string(what) + " (-v)");
    }
    [[nodiscard]] std::size_t size() const { return lines_.size(); }
    [[nodiscard]] std::string take() {
        std::string text;
        for (const std::string& line : lines_) text += line + "\n";
        return text;
    }

private:
    static constexpr std::size_t kValueColumn = 22;

    [[nodiscard]] std::string mark_of(Tone tone) const {
        switch (tone) {
            case Tone::kGood: return style_.symbols ? "\u2713 " : "ok: ";
            case Tone::kDoubtful: return style_.symbols ? "! " : "note: ";
            case Tone::kBad: return style_.symbols ? "\u2717 " : "FAILED: ";
            case Tone::kPlain: break;
        }
        return {};
    }
    void add(std::string line, Tone tone, bool bold = false) {
        while (!line.empty() && line.back() == ' ') line.pop_back();
        if (style_.colour && (bold || tone != Tone::kPlain)) {
            const char* code = bold ? "1" : tone == Tone::kGood ? "32" : tone == Tone::kDoubtful ? "33" : "31";
            line = "\x1b[" + std::string(code) + "m" + line + "\x1b[0m";
        }
        lines_.push_back(std::move(line));
    }

    ScreenStyle style_;
    std::vector<std::string> lines_;
};

}  // namespace heapwright::render::detail
