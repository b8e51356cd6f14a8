#include "heapwright/render/chart_tables.hpp"

#include <fmt/format.h>

#include "heapwright/render/detail/chart_parts.hpp"
#include "heapwright/render/device_list.hpp"

namespace heapwright::render {
namespace {

template <class Document>
const auto& part(std::span<const ReportDocument> documents, const DevicePlace& place) {
    return std::get<Document>(documents[place.document].document).devices[place.device];
}

std::vector<detail::ChartDevice> chart_devices(std::span<const ReportDocument> documents) {
    std::vector<detail::ChartDevice> devices;
    for (const ListedDevice& listed : list_devices(documents)) {
        detail::ChartDevice device{.index = devices.size(), .label = listed.label, .policies = {}, .validations = {}};
        if (!listed.reports.empty()) device.report = &part<model::Report>(documents, listed.reports.front());
        for (const DevicePlace& place : listed.policies) {
            device.policies.push_back(&part<model::Policy>(documents, place));
        }
        if (!device.policies.empty()) device.policy = device.policies.front();
        for (const DevicePlace& place : listed.validations) {
            device.validations.push_back(&part<model::Validation>(documents, place));
        }
        devices.push_back(std::move(device));
    }
    return devices;
}

}  // namespace

std::vector<CsvTable> chart_tables(std::span<const ReportDocument> documents, ChartDetail detail) {
    const std::vector<detail::ChartDevice> devices = chart_devices(documents);
    std::vector<CsvTable> tables{{.name = "devices", .columns = {"index", "device"}, .rows = {}}};
    for (const detail::ChartDevice& device : devices) {
        tables.front().rows.push_back({std::uint64_t{device.index}, device.label});
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
