#include <fmt/format.h>

#include <iterator>

#include "core/text.hpp"
#include "model/claim_words.hpp"
#include "model/printable.hpp"
#include "render/what_if_text.hpp"
#include "render/what_if_words.hpp"

namespace heapwright::render {
namespace {

using model::WhatIfCell;
using model::WhatIfColumn;
using model::WhatIfRow;

// Inside a table's cell or a line: nothing in it is markup.
std::string plain_markdown(std::string_view text) {
    std::string result;
    for (const char c : text) {
        if (std::string_view("|\\`*_[]#~!$@").find(c) != std::string_view::npos) result += '\\';
        if (c == '<')
            result += "&lt;";
        else if (c == '&')
            result += "&amp;";
        else
            result += c;
    }
    return result;
}

std::string markdown_head(std::string_view first, const std::vector<WhatIfColumn>& columns) {
    std::string head = fmt::format("\n| {} |", first);
    std::string line = "\n|---|";
    for (const WhatIfColumn column : columns) {
        head += fmt::format(" {} |", words_of(column).name);
        line += "--:|";
    }
    return head + line + "\n";
}

template <class Played, class IsMarked>
std::string markdown_cells(const Played& played, const std::vector<WhatIfColumn>& columns, const IsMarked& is_best) {
    std::string line;
    for (const WhatIfColumn column : columns) {
        const WhatIfCell* cell = cell_of(played, column);
        if (cell == nullptr) {
            line += " - |";
            continue;
        }
        const std::string value = value_text(column, cell->value);
        line += fmt::format(" {}{} |", is_best(*cell) ? "**" + value + "**" : value,
                            cell->verdict == model::WhatIfVerdict::kNotTold ? " \\~" : "");
    }
    return line;
}

std::string markdown_told(const model::WhatIf& what_if) {
    if (what_if.rows.size() < 2) return {};
    return fmt::format(
        "{} {}", is_exact(what_if) ? "" : fmt::format(" \\~: not told from {}.", plain_markdown(first_of(what_if))),
        plain_markdown(told_by(what_if)));
}

CsvCell text_or_nothing(const std::string& text) {
    return text.empty() ? CsvCell() : CsvCell(text);
}

// The names of the columns in which the cell is so.
template <class Is>
CsvCell columns_where(const WhatIfRow& row, const Is& is) {
    std::string names;
    for (const WhatIfCell& cell : row.cells)
        if (is(cell)) names += (names.empty() ? "" : " ") + std::string(name_of(cell.column));
    return text_or_nothing(names);
}

template <class Played>
void append_values(const Played& played, std::vector<CsvCell>& line) {
    for (std::size_t i = 0; i < model::kWhatIfColumns; ++i) {
        const WhatIfCell* cell = cell_of(played, static_cast<WhatIfColumn>(i));
        line.push_back(cell == nullptr ? CsvCell() : CsvCell(cell->value));
    }
}

}  // namespace

std::string what_if_markdown(const model::WhatIf& given) {
    const model::WhatIf what_if = model::printable(given);
    std::string text = fmt::format("# heapwright: what if, {} on {}\n\n", plain_markdown(program_of(what_if)),
                                   plain_markdown(what_if.device.name));
    std::string not_run;
    for (const WhatIfRow& row : what_if.rows) {
        if (row.cells.empty()) not_run += fmt::format("- **{}**\n", plain_markdown(not_played_text(row)));
        if (has_failed(row)) not_run += fmt::format("- **{}**\n", plain_markdown(failed_text(row)));
    }
    if (!not_run.empty()) text += not_run + "\n";
    text += fmt::format("**{}** {}\n", plain_markdown(claim_of(what_if)), plain_markdown(best_of(what_if)));
    const std::vector<WhatIfColumn> columns = shown_columns(what_if);
    if (!columns.empty()) {
        text += markdown_head("way to allocate", columns);
        for (const WhatIfRow& row : what_if.rows)
            if (!row.cells.empty())
                text += fmt::format("| {} |{}\n", plain_markdown(title_of(row)),
                                    markdown_cells(row, columns, [&](const WhatIfCell& cell) {
                                        return is_marked(what_if, row, cell);
                                    }));
        text += fmt::format("\nLess is better. Bold: the best of the column{}.{}\n",
                            is_exact(what_if) ? "" : ", or not told from it", markdown_told(what_if));
    }
    for (const model::WhatIfCurve& curve : what_if.curves) {
        text += fmt::format("\n## {} of {}\n", plain_markdown(curve.setting), plain_markdown(curve.of));
        text += markdown_head(plain_markdown(curve.setting), columns);
        for (const model::WhatIfPoint& point : curve.points) {
            if (!point.cells.empty())
                text += fmt::format(
                    "| {} |{}\n", byte_text(point.size_bytes),
                    markdown_cells(point, columns, [&](const WhatIfCell& cell) { return is_marked(curve, cell); }));
        }
        for (const model::WhatIfPoint& point : curve.points) {
            if (point.cells.empty())
                text += fmt::format("\n- not played at {}: {}\n", byte_text(point.size_bytes),
                                    plain_markdown(reason_of(point)));
        }
    }
    if (!what_if.notes.empty()) text += '\n';
    for (const std::string& note : model::lines_of(what_if.notes)) text += fmt::format("- {}\n", plain_markdown(note));
    return text;
}

CsvTable what_if_rows(const model::WhatIf& what_if) {
    CsvTable table{.name = "what-if-rows", .columns = {"row", "on_the_device", "not_played"}};
    std::ranges::copy(model::names_of<WhatIfColumn>(), std::back_inserter(table.columns));
    for (const std::string_view name : {"best_in", "less_in", "more_in", "not_told_in"}) table.columns.push_back(name);
    for (const WhatIfRow& row : what_if.rows) {
        std::vector<CsvCell> line{row.name, row.is_real, text_or_nothing(row.not_played)};
        append_values(row, line);
        line.push_back(columns_where(row, [](const WhatIfCell& cell) { return cell.is_best; }));
        for (const auto verdict :
             {model::WhatIfVerdict::kLess, model::WhatIfVerdict::kMore, model::WhatIfVerdict::kNotTold})
            line.push_back(columns_where(row, [&](const WhatIfCell& cell) { return cell.verdict == verdict; }));
        table.rows.push_back(std::move(line));
    }
    return table;
}

CsvTable what_if_curves(const model::WhatIf& what_if) {
    CsvTable table{.name = "what-if-curves", .columns = {"setting", "of", "size_bytes", "not_played"}};
    std::ranges::copy(model::names_of<WhatIfColumn>(), std::back_inserter(table.columns));
    for (const model::WhatIfCurve& curve : what_if.curves) {
        for (const model::WhatIfPoint& point : curve.points) {
            std::vector<CsvCell> line{curve.setting, curve.of, point.size_bytes, text_or_nothing(point.not_played)};
            append_values(point, line);
            table.rows.push_back(std::move(line));
        }
    }
    return table;
}

}  // namespace heapwright::render
