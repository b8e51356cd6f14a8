// The data of every chart of the HTML report, as tables: the same names, columns and rows that the page saves when all
// of its controls are as it starts. Beside them, what the page shows only by its controls:
//   image-requirements     every image case and extent of every device
//   buffer-requirements    every buffer usage and size
//   raw-images-N, raw-buffers-N   size, alignment, storage: the form of the raw data sets of "Vulkan Memory Allocation
//                          (Part 1 of N)", images of powers of two up to 4096, R8G8B8A8 with optimal tiling
//   devices                what N stands for
// Pure and thread-safe.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "heapwright/render/csv_table.hpp"
#include "heapwright/render/report_document.hpp"

namespace heapwright::render {

enum class ChartDetail : std::uint8_t {
    kDrawn,  // the charts' data alone
    kAll,    // also image-requirements and buffer-requirements
};

[[nodiscard]] std::vector<CsvTable> chart_tables(std::span<const ReportDocument> documents,
                                                 ChartDetail detail = ChartDetail::kAll);

}  // namespace heapwright::render
