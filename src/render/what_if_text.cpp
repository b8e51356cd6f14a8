#include "render/what_if_text.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <utility>
#include <vector>

#include "core/text.hpp"
#include "model/claim_words.hpp"
#include "model/printable.hpp"
#include "render/detail/screen.hpp"
#include "render/what_if_words.hpp"

namespace heapwright::render {
namespace {

using detail::columns_of;
using detail::Screen;
using detail::Tone;
using detail::wrapped;
using model::WhatIfCell;
using model::WhatIfColumn;
using model::WhatIfRow;
using model::WhatIfVerdict;

constexpr std::size_t kMostNotPlayed = 2;
constexpr std::size_t kClaimLines = 3;
constexpr std::size_t kNoteLines = 2;
constexpr std::size_t kHeadingLines = 2;
constexpr std::size_t kLeastNameColumns = 15;
constexpr std::size_t kMostLines = kScreenLines - 1;  // below them the shell's prompt

void add_wrapped(Screen& screen, std::string_view text, std::string_view first, std::size_t most_lines) {
    for (const std::string& line : wrapped(text, first, most_lines)) screen.line(line);
}

struct ScreenCell {
    std::string text;
    std::string mark;
};

struct ScreenColumn {
    WhatIfColumn column{};
    std::string_view above;  // the heading's lines
    std::string_view below;
    std::vector<ScreenCell> cells;  // by row
    std::size_t columns = 0;
    std::size_t mark_columns = 0;
};

// That zero is the best is plain. A cell that is best says no more than that where the first row is best too.
std::string mark_of(const model::WhatIf& what_if, const WhatIfRow& row, const WhatIfCell& cell) {
    std::string mark;
    const WhatIfCell* first = cell_of(*rows_of(what_if, row.is_real).front(), cell.column);
    const bool first_is_best = first != nullptr && first->is_best;
    const bool is_best = is_marked(what_if, row, cell);
    if (is_best) mark += '*';
    if (cell.verdict == WhatIfVerdict::kNotTold && !(is_best && first_is_best)) mark += '~';
    return mark;
}

// A column of zeros tells several rows nothing.
bool tells_rows_apart(WhatIfColumn column, const std::vector<const WhatIfRow*>& rows) {
    return std::ranges::any_of(rows, [&](const WhatIfRow* row) {
        const WhatIfCell* cell = cell_of(*row, column);
        return cell != nullptr && (cell->value > 0 || (rows.size() == 1 && column != WhatIfColumn::kFailedRequests));
    });
}

std::vector<ScreenColumn> columns_of_rows(const model::WhatIf& what_if, const std::vector<const WhatIfRow*>& rows) {
    std::vector<ScreenColumn> columns;
    for (std::size_t i = 0; i < model::kWhatIfColumns; ++i) {
        const auto which = static_cast<WhatIfColumn>(i);
        if (!tells_rows_apart(which, rows)) continue;
        const std::string_view heading = words_of(which).heading;
        const std::size_t middle = heading.find('|');
        ScreenColumn column{
            .column = which, .above = heading.substr(0, middle), .below = heading.substr(middle + 1), .cells = {}};
        column.columns = std::max(column.above.size(), column.below.size());
        for (const WhatIfRow* row : rows) {
            const WhatIfCell* cell = cell_of(*row, which);
            ScreenCell shown = cell == nullptr ? ScreenCell{.text = "-", .mark = {}}
                                               : ScreenCell{.text = value_text(which, cell->value),
                                                            .mark = mark_of(what_if, *row, *cell)};
            column.columns = std::max(column.columns, columns_of(shown.text));
            column.mark_columns = std::max(column.mark_columns, shown.mark.size());
            column.cells.push_back(std::move(shown));
        }
        columns.push_back(std::move(column));
    }
    return columns;
}

std::string padded(std::string_view text, std::size_t columns, bool right) {
    const std::string space(columns - std::min(columns, columns_of(text)), ' ');
    return right ? space + std::string(text) : std::string(text) + space;
}

// Numbers stand at the right, their marks behind them. Of the rows as many as fit into `most_lines`.
std::vector<std::string> table_lines(const model::WhatIf& what_if, const std::vector<const WhatIfRow*>& rows,
                                     std::size_t on_device, std::size_t most_lines) {
    const std::vector<ScreenColumn> columns = columns_of_rows(what_if, rows);
    std::size_t taken = 2;
    for (const ScreenColumn& column : columns) taken += 2 + column.columns + column.mark_columns;
    std::size_t name_columns = 0;
    for (const WhatIfRow* row : rows) name_columns = std::max(name_columns, columns_of(row->name));
    const std::size_t gap = taken + std::min(name_columns, kLeastNameColumns) > kScreenColumns ? 1 : 2;
    if (gap == 1) taken -= columns.size();
    const std::size_t left = kScreenColumns - std::min(kScreenColumns, taken);
    name_columns = std::min(name_columns, std::max(kLeastNameColumns, left));

    const auto line_of = [&](std::string_view name, const auto& cell_text) {
        std::string line = "  " + padded(name, name_columns, false);
        for (const ScreenColumn& column : columns) {
            line += std::string(gap, ' ');
            line += cell_text(column);
        }
        return line;
    };
    const auto heading = [&](bool above) {
        return line_of({}, [&](const ScreenColumn& column) {
            return padded(above ? column.above : column.below, column.columns, true) +
                   std::string(column.mark_columns, ' ');
        });
    };
    std::vector<std::string> lines{heading(true), heading(false)};
    const bool parted = on_device != 0 && on_device != rows.size();
    const std::size_t all = rows.size() + lines.size() + (parted ? 1 : 0);
    std::size_t shown = rows.size();
    // One line says how many are left out.
    if (all > most_lines) shown -= std::min(shown - 1, all + 1 - most_lines);
    for (std::size_t at = 0; at < shown; ++at) {
        if (at == on_device && parted) lines.emplace_back("on the device:");
        lines.push_back(line_of(detail::cut(rows[at]->name, name_columns), [&](const ScreenColumn& column) {
            const ScreenCell& cell = column.cells[at];
            return padded(cell.text, column.columns, true) + padded(cell.mark, column.mark_columns, false);
        }));
    }
    if (shown != rows.size()) lines.push_back(fmt::format("  and {} (-v)", counted(rows.size() - shown, "more way")));
    return lines;
}

// What the marks mean that stand in the table.
std::string legend_of(const model::WhatIf& what_if, const std::vector<const WhatIfRow*>& rows) {
    bool best = false;
    bool not_told = false;
    for (const WhatIfRow* row : rows) {
        for (const WhatIfCell& cell : row->cells) {
            if (!tells_rows_apart(cell.column, rows)) continue;
            const std::string mark = mark_of(what_if, *row, cell);
            best = best || mark.find('*') != std::string::npos;
            not_told = not_told || mark.find('~') != std::string::npos;
        }
    }
    std::string legend = "Less is better.";
    if (best)
        legend += is_exact(what_if) ? " * the best of the column." : " * the best of the column, or not told from it.";
    if (not_told) legend += fmt::format(" ~ not told from {}.", first_of(what_if));
    if (rows.size() > 1) legend += " " + told_by(what_if);
    return legend;
}

std::string identity_text(const model::WhatIf& what_if) {
    return fmt::format("{} on {}", program_of(what_if), what_if.device.name);
}

// What did not run, in at most kMostNotPlayed + 2 lines.
void add_not_run(const model::WhatIf& what_if, const std::vector<const WhatIfRow*>& not_played, Screen& screen) {
    const Tone tone = what_if.rows.size() == not_played.size() ? Tone::kBad : Tone::kDoubtful;
    const std::size_t shown = std::min(not_played.size(), kMostNotPlayed);
    for (std::size_t i = 0; i < shown; ++i) screen.verdict(tone, not_played_text(*not_played[i]));
    if (shown != not_played.size())
        screen.verdict(tone, fmt::format("{} not played (-v)",
                                         counted(not_played.size() - shown, "more way was", "more ways were")));
    std::vector<const WhatIfRow*> failed;
    for (const WhatIfRow& row : what_if.rows)
        if (has_failed(row)) failed.push_back(&row);
    if (failed.empty()) return;
    std::string text = failed_text(*failed.front());
    if (failed.size() > 1)
        text += fmt::format(", and {} failed too", counted(failed.size() - 1, "other way", "other ways"));
    screen.verdict(Tone::kBad, text);
}

template <class IsMarked>
void add_cells(const std::vector<WhatIfCell>& cells, const IsMarked& is_best, std::string& text) {
    for (const WhatIfCell& cell : cells) {
        const std::string difference = difference_text(cell);
        text += fmt::format("    {:<22} {}{}{}\n", words_of(cell.column).name, value_text(cell.column, cell.value),
                            difference.empty() ? "" : ", " + difference, is_best(cell) ? ", best" : "");
    }
}

// "chunk of advised from 1 MiB to 256 MiB: peak reserved is least at 2 MiB (2.01 GiB), ...": -v has all.
std::string curve_text(const model::WhatIfCurve& curve) {
    std::vector<std::string> least;
    for (const WhatIfColumn column : kMainColumns) {
        const std::vector<const model::WhatIfPoint*> points = points_with(curve, column);
        if (points.empty()) continue;
        const auto value = [&](const model::WhatIfPoint* point) { return cell_of(*point, column)->value; };
        const model::WhatIfPoint* best = *std::ranges::min_element(points, {}, value);
        least.push_back(fmt::format("{} is least at {} ({})", words_of(column).name, byte_text(best->size_bytes),
                                    value_text(column, value(best))));
    }
    if (least.empty()) return fmt::format("{} of {}: no size was played", curve.setting, curve.of);
    return fmt::format("{} of {} from {} to {}: {} (-v has all).", curve.setting, curve.of,
                       byte_text(curve.points.front().size_bytes), byte_text(curve.points.back().size_bytes),
                       fmt::join(least, ", "));
}

// As many as fit; of the rest how many there are.
void add_notes(std::span<const std::string> notes, std::size_t most_lines, Screen& screen) {
    std::vector<std::string> lines;
    std::size_t shown = 0;
    for (; shown < notes.size(); ++shown) {
        const std::vector<std::string> note = wrapped(notes[shown], "- ", kNoteLines);
        const bool is_last = shown + 1 == notes.size();
        if (lines.size() + note.size() + (is_last ? 0 : 1) > most_lines) break;
        lines.insert(lines.end(), note.begin(), note.end());
    }
    for (const std::string& line : lines) screen.line(line);
    if (shown != notes.size())
        screen.line(fmt::format("and {} (-v)", counted(notes.size() - shown, shown == 0 ? "note" : "more note")));
}

}  // namespace

std::string what_if_screen(const model::WhatIf& given, const ScreenStyle& style, std::string_view next) {
    const model::WhatIf what_if = model::printable(given);
    std::vector<const WhatIfRow*> played;
    std::vector<const WhatIfRow*> not_played;
    for (const WhatIfRow& row : what_if.rows) (row.cells.empty() ? not_played : played).push_back(&row);
    // Those on the device stand together, under their own heading.
    const auto real =
        std::stable_partition(played.begin(), played.end(), [](const WhatIfRow* row) { return !row->is_real; });
    const auto on_device = static_cast<std::size_t>(real - played.begin());

    Screen screen(style);
    screen.title(fmt::format("{}{}", identity_text(what_if),
                             on_device == 0 && !played.empty() ? ", on the device's own memory" : ""));
    add_not_run(what_if, not_played, screen);
    add_wrapped(screen, claim_of(what_if), {}, kClaimLines);
    if (const std::string best = best_of(what_if); !best.empty()) add_wrapped(screen, best, {}, kNoteLines);
    std::size_t left = kMostLines - screen.size() - (next.empty() ? 0 : 1);
    if (!played.empty()) {
        const std::vector<std::string> legend = wrapped(legend_of(what_if, played), {}, kNoteLines);
        // Of the notes at least how many there are.
        const std::size_t kept = what_if.notes.empty() && what_if.curves.empty() ? 0 : 1;
        left -= legend.size();
        const std::vector<std::string> table = table_lines(what_if, played, on_device, left - kept);
        left -= table.size();
        if (left > what_if.notes.claims().size() + what_if.curves.size()) {
            screen.blank();
            --left;
        }
        for (std::size_t i = 0; i < table.size(); ++i)
            i < kHeadingLines ? screen.title(table[i]) : screen.line(table[i]);
        for (const std::string& line : legend) screen.line(line);
    }
    std::vector<std::string> notes;
    for (const model::WhatIfCurve& curve : what_if.curves) notes.push_back(curve_text(curve));
    for (std::string& note : model::lines_of(what_if.notes)) notes.push_back(std::move(note));
    add_notes(notes, left, screen);
    if (!next.empty()) screen.next(next);
    return screen.take();
}

std::string what_if_text(const model::WhatIf& given) {
    const model::WhatIf what_if = model::printable(given);
    std::string text = fmt::format("{}\n{}\n", identity_text(what_if), claim_of(what_if));
    if (const std::string best = best_of(what_if); !best.empty()) text += best + "\n";
    for (const model::WhatIfInput& input : what_if.inputs)
        text += fmt::format("input {}: {}, weight {:.3g}, {}, {}, {}\n", input.name, input.kind, input.weight,
                            counted(input.operations, "operation"), counted(input.creations, "creation"),
                            counted(input.frames, "frame"));
    if (what_if.rows.size() > 1) text += told_by(what_if) + "\n";
    for (const WhatIfRow& row : what_if.rows) {
        text += fmt::format("\n{}: {}\n", title_of(row), row.how);
        if (row.cells.empty()) text += fmt::format("    not played: {}\n", reason_of(row));
        add_cells(
            row.cells, [&](const WhatIfCell& cell) { return is_marked(what_if, row, cell); }, text);
    }
    for (const model::WhatIfCurve& curve : what_if.curves) {
        text += fmt::format("\n{} of {}\n", curve.setting, curve.of);
        for (const model::WhatIfPoint& point : curve.points) {
            text += fmt::format("  {}{}\n", byte_text(point.size_bytes),
                                point.cells.empty() ? ": not played: " + reason_of(point) : "");
            add_cells(
                point.cells, [&](const WhatIfCell& cell) { return is_marked(curve, cell); }, text);
        }
    }
    if (!what_if.rows.empty()) {
        text += "\nLess is better in every column.\n";
        for (std::size_t i = 0; i < model::kWhatIfColumns; ++i) {
            const WhatIfColumnWords& words = words_of(static_cast<WhatIfColumn>(i));
            text += fmt::format("  {:<22} {}\n", words.name, words.meaning);
        }
    }
    for (const std::string& note : model::lines_of(what_if.notes)) text += fmt::format("- {}\n", note);
    return text;
}

}  // namespace heapwright::render
