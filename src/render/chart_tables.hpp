// Tables as CSV, and those behind every chart of the page.
//
// Comma-separated values (RFC 4180, but lines end with \n): one table, its bytes, and the name of its file.
// A text that a spreadsheet would take for a formula gets an apostrophe before it. Pure and thread-safe.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "render/report_document.hpp"

namespace heapwright::render {

// Nothing is an empty cell.
using CsvCell = std::variant<std::monostate, std::uint64_t, double, std::string>;
using CsvRow = std::vector<CsvCell>;

struct CsvTable {
    std::string name;  // of the file, without ".csv"
    std::vector<std::string_view> columns;
    std::vector<CsvRow> rows;
};

[[nodiscard]] std::string csv_text(const CsvTable& table);

// The data of every chart of the HTML report, as tables: the same names, columns and rows that the page saves when all
// of its controls are as it starts. Beside them, what the page shows only by its controls:
//   image-requirements     every image case and extent of every device
//   buffer-requirements    every buffer usage and size
//   raw-images-N, raw-buffers-N   size, alignment, storage: the form of the raw data sets of "Vulkan Memory Allocation
//                          (Part 1 of N)", images of powers of two up to 4096, R8G8B8A8 with optimal tiling
//   devices                what N stands for
// Pure and thread-safe.

enum class ChartDetail : std::uint8_t {
    kDrawn,  // the charts' data alone
    kAll,    // also image-requirements and buffer-requirements
};

[[nodiscard]] std::vector<CsvTable> chart_tables(std::span<const ReportDocument> documents,
                                                 ChartDetail detail = ChartDetail::kAll);

}  // namespace heapwright::render
