#include "import/detail/text_tree.hpp"

#include <algorithm>
#include <cstddef>

#include "import/number_text.hpp"

namespace heapwright::imports::detail {

namespace {

bool is_underline(std::string_view text) {
    return text.find_first_not_of("=-") == std::string_view::npos;
}

}  // namespace

std::string_view take_line(std::string_view& text) {
    const std::size_t end = text.find('\n');
    const std::string_view line = text.substr(0, end);
    text.remove_prefix(end == std::string_view::npos ? text.size() : end + 1);
    return line;
}

std::vector<TextLine> read_lines(std::string_view text) {
    std::vector<TextLine> lines;
    lines.reserve(static_cast<std::size_t>(std::count(text.begin(), text.end(), '\n')) + 1);
    std::size_t number = 0;
    while (!text.empty()) {
        ++number;
        const std::string_view line = take_line(text);
        const std::string_view content = trimmed(line);
        if (content.empty() || is_underline(content)) continue;
        const std::size_t mark = content.find_first_of("=:");
        TextLine entry{.number = number, .indent = line.find_first_not_of(" \t"), .name = content};
        if (mark != std::string_view::npos) {
            entry.name = trimmed(content.substr(0, mark));
            entry.value = trimmed(content.substr(mark + 1));
        }
        lines.push_back(entry);
    }
    return lines;
}

TextLines below(TextLines lines, std::size_t index) {
    std::size_t end = index + 1;
    while (end < lines.size() && lines[end].indent > lines[index].indent) ++end;
    return lines.subspan(index + 1, end - index - 1);
}

std::optional<std::size_t> find_line(TextLines lines, std::string_view name) {
    const auto found =
        std::find_if(lines.begin(), lines.end(), [name](const TextLine& line) { return line.name == name; });
    if (found == lines.end()) return std::nullopt;
    return static_cast<std::size_t>(found - lines.begin());
}

std::optional<std::size_t> find_direct(TextLines lines, std::string_view name) {
    if (lines.empty()) return std::nullopt;
    const auto found = std::find_if(lines.begin(), lines.end(), [&](const TextLine& line) {
        return line.indent <= lines.front().indent && line.name == name;
    });
    if (found == lines.end()) return std::nullopt;
    return static_cast<std::size_t>(found - lines.begin());
}

std::string_view quotation_of(std::string_view line) {
    return line.substr(0, std::min(line.find_first_not_of(" \t>"), line.size()));
}

std::string_view without_quotation(std::string_view text, std::string_view quotation, std::string& storage) {
    if (quotation.empty()) return text;
    storage.clear();
    while (!text.empty()) {
        const std::string_view line = take_line(text);
        const std::size_t common = std::min(line.size(), quotation.size());
        const auto differs =
            std::mismatch(quotation.begin(), quotation.begin() + static_cast<std::ptrdiff_t>(common), line.begin());
        storage += line.substr(static_cast<std::size_t>(differs.second - line.begin()));
        storage += '\n';
    }
    return storage;
}

std::string_view without_fence(std::string_view text, std::string& storage) {
    const std::string_view whole = text;
    std::size_t number = 0;
    while (!text.empty()) {
        const std::string_view line = take_line(text);
        ++number;
        if (!line.starts_with("```") && !line.starts_with("~~~")) continue;
        const std::size_t first = text.find_first_not_of(" \t\r\n");
        if (first == std::string_view::npos || (text[first] != '{' && text[first] != '[')) continue;
        storage.assign(number, '\n');
        const std::string closing = "\n" + std::string(line.substr(0, 3));
        storage += text.substr(0, text.find(closing));
        return storage;
    }
    return whole;
}

}  // namespace heapwright::imports::detail
