// Listings as the readers take them: without what a mail, a forum or an editor put before each line. The number of
// every line stays, so that errors name the file's own. Pure and thread-safe.
#pragma once

#include <string>
#include <string_view>

namespace heapwright::imports::detail {

// What stands before a listing's line when somebody indented or quoted the whole: blanks, tabs and '>'.
[[nodiscard]] std::string_view quotation_of(std::string_view line);

// `text` without `quotation` before each line; of a line that begins otherwise, without what both begin with (editors
// cut the blanks at the end of an empty line). `storage` holds the text where there is anything to take away.
[[nodiscard]] std::string_view without_quotation(std::string_view text, std::string_view quotation,
                                                 std::string& storage);

// JSON in a Markdown fence, with the lines before it empty; `text` itself where no fence holds any.
[[nodiscard]] std::string_view without_fence(std::string_view text, std::string& storage);

}  // namespace heapwright::imports::detail
