// A what-if as people read it: one screen, every cell in words, Markdown, and CSV. Texts of the document come out
// printable(). Pure and thread-safe.
#pragma once

#include <string>
#include <string_view>

#include "model/what_if.hpp"
#include "render/chart_tables.hpp"
#include "render/overview.hpp"

namespace heapwright::render {

// What did not run, the claim, a line a row with the best of each column marked, what the input does not know, and the
// command to run next. As overview(): one screen.
[[nodiscard]] std::string what_if_screen(const model::WhatIf& given, const ScreenStyle& style,
                                         std::string_view next = {});

// Every cell with its difference from the first row, every curve and note. Lines not wrapped.
[[nodiscard]] std::string what_if_text(const model::WhatIf& given);

// GitHub's flavour.
[[nodiscard]] std::string what_if_markdown(const model::WhatIf& given);

// A line a row: the columns' values in bytes, nanoseconds, shares and counts, and the names of those in which the row
// is best, less, more or not told from the first.
[[nodiscard]] CsvTable what_if_rows(const model::WhatIf& what_if);

// A line a point of every curve.
[[nodiscard]] CsvTable what_if_curves(const model::WhatIf& what_if);

}  // namespace heapwright::render
