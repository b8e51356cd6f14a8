#include <fmt/format.h>

#include <algorithm>

#include "core/text.hpp"
#include "model/claim_words.hpp"
#include "model/printable.hpp"
#include "render/detail/chart_parts.hpp"
#include "render/detail/page_data.hpp"
#include "render/what_if_text.hpp"
#include "render/what_if_words.hpp"

namespace heapwright::render::detail {

namespace {

using model::WhatIfCell;
using model::WhatIfColumn;

constexpr std::string_view kUnitNames[] = {"bytes", "share", "time", "count"};  // by WhatIfUnit

// In the order of `columns`; null where the row does not have it.
PageJson what_if_cells(const model::WhatIf& what_if, const model::WhatIfRow& row,
                       const std::vector<WhatIfColumn>& columns) {
    PageJson cells = PageJson::array();
    for (const WhatIfColumn column : columns) {
        const WhatIfCell* cell = render::cell_of(row, column);
        if (cell == nullptr) {
            cells.push_back(nullptr);
            continue;
        }
        cells.push_back({{"value", value_text(column, cell->value)},
                         {"difference", difference_text(*cell)},
                         {"verdict", model::name_of(cell->verdict)},
                         {"best", is_marked(what_if, row, *cell)}});
    }
    return cells;
}

// "1.57 GiB at 2 MiB, the least, to 2.55 GiB at 1 GiB."
std::string range_text(const model::WhatIfCurve& curve, WhatIfColumn column) {
    const std::vector<const model::WhatIfPoint*> points = points_with(curve, column);
    const auto value = [&](const model::WhatIfPoint* point) { return render::cell_of(*point, column)->value; };
    const model::WhatIfPoint* least = *std::ranges::min_element(points, {}, value);
    const model::WhatIfPoint* most = *std::ranges::max_element(points, {}, value);
    const std::string from = value_text(column, value(least));
    const std::string to = value_text(column, value(most));
    if (from == to) return fmt::format("{} at every size.", from);
    return fmt::format("From {} at {} to {} at {}.", from, byte_text(least->size_bytes), to,
                       byte_text(most->size_bytes));
}

PageJson curve_json(const model::WhatIf& what_if, std::size_t index, std::size_t which) {
    const model::WhatIfCurve& curve = what_if.curves[which];
    const auto own = std::ranges::find_if(
        what_if.rows, [&](const model::WhatIfRow& row) { return row.name == curve.of && !row.is_real; });
    PageJson charts = PageJson::array();
    for (const WhatIfChart& chart : charts_of(what_if, index, which)) {
        const WhatIfColumnWords& words = words_of(chart.column);
        const WhatIfCell* cell = own == what_if.rows.end() ? nullptr : render::cell_of(*own, chart.column);
        charts.push_back({{"table", chart.table},
                          {"name", words.name},
                          {"unit", kUnitNames[static_cast<std::size_t>(words.unit)]},
                          {"caption", range_text(curve, chart.column)},
                          {"own", cell == nullptr ? PageJson() : PageJson(cell->value)},
                          {"own_text", cell == nullptr ? "" : value_text(chart.column, cell->value)}});
    }
    PageJson not_played = PageJson::array();
    for (const model::WhatIfPoint& point : curve.points) {
        if (point.cells.empty())
            not_played.push_back(fmt::format("Not played at {}: {}", byte_text(point.size_bytes), reason_of(point)));
    }
    return {{"setting", curve.setting},
            {"of", curve.of},
            {"charts", std::move(charts)},
            {"not_played", std::move(not_played)}};
}

PageJson what_if_json(const model::WhatIf& what_if, std::size_t index) {
    const std::vector<WhatIfColumn> columns = shown_columns(what_if);
    PageJson heads = PageJson::array();
    for (const WhatIfColumn column : columns)
        heads.push_back({{"name", words_of(column).name}, {"meaning", words_of(column).meaning}});
    PageJson rows = PageJson::array();
    PageJson not_played = PageJson::array();
    PageJson failed = PageJson::array();
    for (const model::WhatIfRow& row : what_if.rows) {
        if (row.cells.empty())
            not_played.push_back(not_played_text(row));
        else
            rows.push_back(
                {{"name", title_of(row)}, {"how", row.how}, {"cells", what_if_cells(what_if, row, columns)}});
        if (has_failed(row)) failed.push_back(failed_text(row));
    }
    PageJson curves = PageJson::array();
    for (std::size_t i = 0; i < what_if.curves.size(); ++i) curves.push_back(curve_json(what_if, index, i));
    const bool compares = what_if.rows.size() > 1;
    return {{"program", program_of(what_if)},
            {"device", what_if.device.name},
            {"claim", claim_of(what_if)},
            {"best", best_of(what_if)},
            {"told", compares ? told_by(what_if) : ""},
            {"exact", is_exact(what_if)},
            {"first", compares ? first_of(what_if) : ""},
            {"failed", std::move(failed)},
            {"not_played", std::move(not_played)},
            {"columns", std::move(heads)},
            {"rows", std::move(rows)},
            {"curves", std::move(curves)},
            {"notes", model::lines_of(what_if.notes)}};
}

CsvTable curve_table(const model::WhatIfCurve& curve, const WhatIfChart& chart) {
    CsvTable table{.name = chart.table, .columns = {"size_bytes", model::name_of(chart.column), "best"}};
    for (const model::WhatIfPoint* point : points_with(curve, chart.column)) {
        const WhatIfCell* cell = render::cell_of(*point, chart.column);
        table.rows.push_back({point->size_bytes, cell->value, std::uint64_t{is_marked(curve, *cell)}});
    }
    return table;
}

}  // namespace

PageJson what_ifs_json(std::span<const ReportDocument> documents) {
    PageJson all = PageJson::array();
    for (const ReportDocument& each : documents) {
        if (const auto* what_if = std::get_if<model::WhatIf>(&each.document))
            all.push_back(what_if_json(model::printable(*what_if), all.size()));
    }
    return all;
}

std::vector<WhatIfChart> charts_of(const model::WhatIf& what_if, std::size_t index, std::size_t curve) {
    std::vector<WhatIfChart> charts;
    for (const WhatIfColumn column : kMainColumns) {
        if (points_with(what_if.curves[curve], column).empty()) continue;
        std::string name(words_of(column).name);
        std::ranges::replace(name, ' ', '-');
        charts.push_back({.table = fmt::format("what-if-{}-{}-{}", index, curve, name), .column = column});
    }
    return charts;
}

void add_what_if_tables(std::span<const ReportDocument> documents, std::vector<CsvTable>& tables) {
    std::size_t index = 0;
    for (const ReportDocument& each : documents) {
        const auto* given = std::get_if<model::WhatIf>(&each.document);
        if (given == nullptr) continue;
        const model::WhatIf what_if = model::printable(*given);
        tables.push_back(what_if_rows(what_if));
        tables.back().name += fmt::format("-{}", index);
        if (!what_if.curves.empty()) {
            tables.push_back(what_if_curves(what_if));
            tables.back().name += fmt::format("-{}", index);
        }
        for (std::size_t curve = 0; curve < what_if.curves.size(); ++curve) {
            for (const WhatIfChart& chart : charts_of(what_if, index, curve))
                tables.push_back(curve_table(what_if.curves[curve], chart));
        }
        ++index;
    }
}

}  // namespace heapwright::render::detail
