#include "render/chart_tables.hpp"

#include <fmt/format.h>

#include "core/text.hpp"
#include "render/detail/chart_parts.hpp"
#include "render/device_list.hpp"

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

std::vector<detail::ChartDevice> chart_devices(std::span<const ReportDocument> documents) {
    std::vector<detail::ChartDevice> devices;
    for (const ListedDevice& listed : list_devices(documents)) {
        detail::ChartDevice device{.index = devices.size(), .label = listed.label};
        device.report = report_of(documents, listed);
        for (const DevicePlace& place : listed.policies)
            device.policies.push_back(&document_at<model::Policy>(documents, place).devices[place.device]);
        if (!device.policies.empty()) device.policy = device.policies.front();
        for (const DevicePlace& place : listed.validations)
            device.validations.push_back(&document_at<model::Validation>(documents, place).devices[place.device]);
        devices.push_back(std::move(device));
    }
    return devices;
}

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

std::vector<CsvTable> chart_tables(std::span<const ReportDocument> documents, ChartDetail detail) {
    const std::vector<detail::ChartDevice> devices = chart_devices(documents);
    std::vector<CsvTable> tables{{.name = "devices", .columns = {"index", "device"}}};
    for (const detail::ChartDevice& device : devices) {
        tables.front().rows.push_back({device.index, device.label});
    }
    detail::add_memory_tables(devices, tables);
    detail::add_image_tables(devices, detail, tables);
    detail::add_buffer_tables(devices, detail, tables);
    detail::add_descriptor_tables(devices, tables);
    detail::add_cost_tables(devices, tables);
    detail::add_engine_tables(devices, tables);
    detail::add_validation_tables(devices, tables);
    detail::add_comparison_tables(documents, tables);
    detail::add_what_if_tables(documents, tables);
    return tables;
}

}  // namespace heapwright::render
