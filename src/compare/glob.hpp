// Patterns of paths and names. In a path pattern "*" stands for any text within one segment and "**" for any number of
// segments, none included; in a text pattern "*" stands for any text. Pure and thread-safe.
#pragma once

#include <string_view>

namespace heapwright::compare {

[[nodiscard]] bool matches_path(std::string_view pattern, std::string_view path);
[[nodiscard]] bool matches_text(std::string_view pattern, std::string_view text);

}  // namespace heapwright::compare
