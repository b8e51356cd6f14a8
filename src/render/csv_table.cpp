#include "heapwright/render/csv_table.hpp"

#include <fmt/format.h>

#include "heapwright/core/printable.hpp"

namespace heapwright::render {
namespace {

std::string quoted_cell(std::string_view value) {
    std::string text;
    if (!value.empty() && std::string_view("=+-@\t\r").find(value.front()) != std::string_view::npos) text += '\'';
    text += printable(value);
    if (text.find_first_of("\",\r\n") == std::string::npos) return text;
    std::string result = "\"";
    for (const char c : text) {
        if (c == '"') result += '"';
        result += c;
    }
    return result + '"';
}

struct CellText {
    std::string operator()(std::monostate) const { return {}; }
    std::string operator()(std::uint64_t value) const { return std::to_string(value); }
    std::string operator()(double value) const { return fmt::format("{}", value); }
    std::string operator()(const std::string& value) const { return quoted_cell(value); }
};

}  // namespace

std::string csv_text(const CsvTable& table) {
    std::string text;
    for (std::size_t i = 0; i < table.columns.size(); ++i) {
        if (i > 0) text += ',';
        text += quoted_cell(table.columns[i]);
    }
    text += '\n';
    for (const auto& row : table.rows) {
        for (std::size_t i = 0; i < row.size(); ++i) {
            if (i > 0) text += ',';
            text += std::visit(CellText{}, row[i]);
        }
        text += '\n';
    }
    return text;
}

}  // namespace heapwright::render
