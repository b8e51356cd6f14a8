// Files as the readers take them: UTF-8, and listings without what a mail, a forum or an editor put before each line.
// Both keep the number of every line, so that errors name the file's own. Pure and thread-safe.
#pragma once

#include <string>
#include <string_view>

namespace heapwright::imports::detail {

// `bytes` as UTF-8 without a byte order mark. UTF-16 of either byte order is known by its mark, or without one by the
// zero bytes of its Latin letters; what is no well-formed UTF-16 becomes U+FFFD. `storage` holds the text where it had
// to be made.
[[nodiscard]] std::string_view as_utf8(std::string_view bytes, std::string& storage);

// What stands before a listing's line when somebody indented or quoted the whole: blanks, tabs and '>'.
[[nodiscard]] std::string_view quotation_of(std::string_view line);

// `text` without `quotation` before each line; of a line that begins otherwise, without what both begin with (editors
// cut the blanks at the end of an empty line). `storage` holds the text where there is anything to take away.
[[nodiscard]] std::string_view without_quotation(std::string_view text, std::string_view quotation,
                                                 std::string& storage);

// JSON in a Markdown fence, with the lines before it empty; `text` itself where no fence holds any.
[[nodiscard]] std::string_view without_fence(std::string_view text, std::string& storage);

}  // namespace heapwright::imports::detail
