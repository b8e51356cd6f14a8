// What a what-if's columns and cells are called, wherever they are drawn: on the screen, in Markdown, on the page.
// Texts of the document stand in them as they are; who draws gives a printable() document. Pure and thread-safe.
#pragma once

#include <algorithm>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "model/what_if.hpp"

namespace heapwright::render {

enum class WhatIfUnit : std::uint8_t { kBytes, kShare, kTime, kCount };

struct WhatIfColumnWords {
    std::string_view name;     // "peak reserved"
    std::string_view heading;  // of a narrow table, two lines parted by '|'
    std::string_view meaning;  // one sentence
    WhatIfUnit unit = WhatIfUnit::kCount;
};

[[nodiscard]] const WhatIfColumnWords& words_of(model::WhatIfColumn column);

// "1.66 GiB", "13.1%", "180 us", "40": three digits.
[[nodiscard]] std::string value_text(model::WhatIfColumn column, double value);

// "512 to 576 MiB more", "not told: from 2 us less to 3 us more", "the same"; empty in the first row.
[[nodiscard]] std::string difference_text(const model::WhatIfCell& cell);

// Null: the row or point does not have it.
template <class Played>
[[nodiscard]] const model::WhatIfCell* cell_of(const Played& played, model::WhatIfColumn column) {
    const auto cell = std::ranges::find(played.cells, column, &model::WhatIfCell::column);
    return cell == played.cells.end() ? nullptr : &*cell;
}

// What is told of a way in short.
inline constexpr model::WhatIfColumn kMainColumns[] = {
    model::WhatIfColumn::kPeakReserved, model::WhatIfColumn::kMeanWaste, model::WhatIfColumn::kWorstFrame};

// The points of a curve that have the column.
[[nodiscard]] std::vector<const model::WhatIfPoint*> points_with(const model::WhatIfCurve& curve,
                                                                 model::WhatIfColumn column);

// "advised", "advised on the device".
[[nodiscard]] std::string title_of(const model::WhatIfRow& row);

// The rows that are compared with each other: over numbers, or on the device's own memory.
[[nodiscard]] std::vector<const model::WhatIfRow*> rows_of(const model::WhatIf& what_if, bool is_real);

// Whether a mark says more of the cell than its value: it is best, some other row of its kind, or point, is not, and it
// is not zero.
[[nodiscard]] bool is_marked(const model::WhatIf& what_if, const model::WhatIfRow& row, const model::WhatIfCell& cell);
[[nodiscard]] bool is_marked(const model::WhatIfCurve& curve, const model::WhatIfCell& cell);

// Whether requests of it found no memory, and how many: "fixed:64MiB found no memory for 12 of its requests".
[[nodiscard]] bool has_failed(const model::WhatIfRow& row);
[[nodiscard]] std::string failed_text(const model::WhatIfRow& row);

// Of a row or a point without cells: why, and "advised was not played: it is of another device".
template <class Played>
[[nodiscard]] std::string reason_of(const Played& played) {
    return played.not_played.empty() ? "it has no figures" : played.not_played;
}
[[nodiscard]] std::string not_played_text(const model::WhatIfRow& row);

// The columns that some row has; of failed requests, where any failed.
[[nodiscard]] std::vector<model::WhatIfColumn> shown_columns(const model::WhatIf& what_if);

// What others are compared with, of a document with some.
[[nodiscard]] std::string first_of(const model::WhatIf& what_if);

// What the first row spares and costs against the next one that differs, in one sentence.
[[nodiscard]] std::string claim_of(const model::WhatIf& what_if);

// "Best in peak reserved and mean waste: advised; worst frame: advised, fixed:64MiB." Empty: no column tells rows
// apart.
[[nodiscard]] std::string best_of(const model::WhatIf& what_if);

// "game.trace (trace, 12000 creations, 600 frames)", or of all of them how many.
[[nodiscard]] std::string program_of(const model::WhatIf& what_if);

// Neither seeds, stretches nor plays are paired: every difference is what it is.
[[nodiscard]] bool is_exact(const model::WhatIf& what_if);

// By what differences are told, in one sentence: pairs, or that they are exact for what was played.
[[nodiscard]] std::string told_by(const model::WhatIf& what_if);

}  // namespace heapwright::render
