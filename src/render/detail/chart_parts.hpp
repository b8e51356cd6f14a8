// The parts of chart_tables(): each appends the tables of one kind of document.
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "render/chart_tables.hpp"
#include "render/device_list.hpp"

namespace heapwright::render::detail {

// A listed device with the parts that the charts draw.
struct ChartDevice {
    std::size_t index = 0;  // in list_devices()
    std::string label;
    const model::DeviceReport* report = nullptr;  // null: no report of it
    const model::DevicePolicy* policy = nullptr;  // the first; null: none
    std::vector<const model::DevicePolicy*> policies;
    std::vector<const model::DeviceValidation*> validations;
};

// A table with a row for each item; none where there is no item.
template <class Items, class RowOf>
void add_table(std::vector<CsvTable>& tables, std::string name, std::vector<std::string_view> columns,
               const Items& items, const RowOf& row_of) {
    if (items.empty()) return;
    CsvTable table{.name = std::move(name), .columns = std::move(columns)};
    for (const auto& item : items) table.rows.push_back(row_of(item));
    tables.push_back(std::move(table));
}

void add_memory_tables(std::span<const ChartDevice> devices, std::vector<CsvTable>& tables);
void add_image_tables(std::span<const ChartDevice> devices, ChartDetail detail, std::vector<CsvTable>& tables);
void add_buffer_tables(std::span<const ChartDevice> devices, ChartDetail detail, std::vector<CsvTable>& tables);
void add_descriptor_tables(std::span<const ChartDevice> devices, std::vector<CsvTable>& tables);
void add_cost_tables(std::span<const ChartDevice> devices, std::vector<CsvTable>& tables);
void add_engine_tables(std::span<const ChartDevice> devices, std::vector<CsvTable>& tables);
void add_validation_tables(std::span<const ChartDevice> devices, std::vector<CsvTable>& tables);
void add_comparison_tables(std::span<const ReportDocument> documents, std::vector<CsvTable>& tables);
void add_what_if_tables(std::span<const ReportDocument> documents, std::vector<CsvTable>& tables);

// A drawing of one column along a curve of a what-if; its table has {size_bytes, the column, best}.
struct WhatIfChart {
    std::string table;
    model::WhatIfColumn column{};
};
// Those of the curve `curve` of the what-if document `index` among its kind: of the columns that its points have.
[[nodiscard]] std::vector<WhatIfChart> charts_of(const model::WhatIf& what_if, std::size_t index, std::size_t curve);

}  // namespace heapwright::render::detail
