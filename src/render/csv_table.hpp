// Comma-separated values (RFC 4180, but lines end with \n): one table, its bytes, and the name of its file.
// A text that a spreadsheet would take for a formula gets an apostrophe before it. Pure and thread-safe.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

namespace heapwright::render {

// Nothing is an empty cell.
using CsvCell = std::variant<std::monostate, std::uint64_t, double, std::string>;

struct CsvTable {
    std::string name;  // of the file, without ".csv"
    std::vector<std::string_view> columns;
    std::vector<std::vector<CsvCell>> rows;
};

[[nodiscard]] std::string csv_text(const CsvTable& table);

}  // namespace heapwright::render
