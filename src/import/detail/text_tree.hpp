// The lines of an indented listing as a tree: what vulkaninfo prints. A line is "name = value", "name: value" or a name
// alone; a line belongs to the nearest line above it that is indented less. Underlines and empty lines are left out.
// Refers to the text that it was made from. Thread-safe.
#pragma once

#include <cstddef>
#include <optional>
#include <span>
#include <string_view>
#include <vector>

namespace heapwright::imports::detail {

struct TextLine {
    std::size_t number = 0;  // from 1
    std::size_t indent = 0;  // characters
    std::string_view name;
    std::string_view value;
};

using TextLines = std::span<const TextLine>;

// The first line, without its '\n', which is taken off `text`.
[[nodiscard]] std::string_view take_line(std::string_view& text);

[[nodiscard]] std::vector<TextLine> read_lines(std::string_view text);

// The lines under lines[index].
[[nodiscard]] TextLines below(TextLines lines, std::size_t index);

// The first line of that name at any depth.
[[nodiscard]] std::optional<std::size_t> find_line(TextLines lines, std::string_view name);

// The first of that name that stands directly in this list.
[[nodiscard]] std::optional<std::size_t> find_direct(TextLines lines, std::string_view name);

}  // namespace heapwright::imports::detail
