#include <fmt/format.h>

#include <algorithm>

#include "heapwright/model/printable.hpp"
#include "heapwright/render/detail/chart_parts.hpp"
#include "heapwright/render/what_if_text.hpp"
#include "heapwright/render/what_if_words.hpp"

namespace heapwright::render::detail {
namespace {

struct DrawnColumn {
    model::WhatIfColumn column;
    std::string_view name;
};
constexpr DrawnColumn kDrawnColumns[] = {{model::WhatIfColumn::kPeakReserved, "peak-reserved"},
                                         {model::WhatIfColumn::kMeanWaste, "mean-waste"},
                                         {model::WhatIfColumn::kWorstFrame, "worst-frame"}};

CsvTable curve_table(const model::WhatIfCurve& curve, const WhatIfChart& chart) {
    CsvTable table{.name = chart.table, .columns = {"size_bytes", model::name_of(chart.column), "best"}, .rows = {}};
    for (const model::WhatIfPoint& point : curve.points) {
        const model::WhatIfCell* cell = render::cell_of(point, chart.column);
        if (cell != nullptr)
            table.rows.push_back({point.size_bytes, cell->value, std::uint64_t{is_marked(curve, *cell)}});
    }
    return table;
}

}  // namespace

std::vector<WhatIfChart> charts_of(const model::WhatIf& what_if, std::size_t index, std::size_t curve) {
    std::vector<WhatIfChart> charts;
    for (const auto& [column, name] : kDrawnColumns) {
        const auto has = [column = column](const model::WhatIfPoint& point) {
            return render::cell_of(point, column) != nullptr;
        };
        if (std::ranges::any_of(what_if.curves[curve].points, has))
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
        tables.back().name = fmt::format("what-if-rows-{}", index);
        if (!what_if.curves.empty()) {
            tables.push_back(what_if_curves(what_if));
            tables.back().name = fmt::format("what-if-curves-{}", index);
        }
        for (std::size_t curve = 0; curve < what_if.curves.size(); ++curve) {
            for (const WhatIfChart& chart : charts_of(what_if, index, curve))
                tables.push_back(curve_table(what_if.curves[curve], chart));
        }
        ++index;
    }
}

}  // namespace heapwright::render::detail
