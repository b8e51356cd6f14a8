// The lines of an indented listing as a tree: what vulkaninfo prints. A line is "name = value", "name: value" or a name
// alone; a line belongs to the nearest line above it that is indented less. Underlines and empty lines are left out.
// Refers to the text that it was made from. Thread-safe.
#pragma once

#include <cstddef>
#include <optional>
#include <span>
#include <string>
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

// Listings as the readers take them: without what a mail, a forum or an editor put before each line. The number of
// every line stays, so that errors name the file's own. Pure and thread-safe.

// What stands before a listing's line when somebody indented or quoted the whole: blanks, tabs and '>'.
[[nodiscard]] std::string_view quotation_of(std::string_view line);

// `text` without `quotation` before each line; of a line that begins otherwise, without what both begin with (editors
// cut the blanks at the end of an empty line). `storage` holds the text where there is anything to take away.
[[nodiscard]] std::string_view without_quotation(std::string_view text, std::string_view quotation,
                                                 std::string& storage);

// JSON in a Markdown fence, with the lines before it empty; `text` itself where no fence holds any.
[[nodiscard]] std::string_view without_fence(std::string_view text, std::string& storage);

}  // namespace heapwright::imports::detail
